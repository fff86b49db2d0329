import * as z from 'zod/mini'

const text = z.string({ error: 'expected a text' })
const whole = z.number({ error: 'expected a whole number from 1' }).check(z.gte(1), z.multipleOf(1))
const ofObject = {
  error: ({ code }: { code?: string }) => (code === 'unrecognized_keys' ? 'unknown name' : 'expected an object'),
}

const isNone = { error: 'expected "svc/baseline@1"; this is no baseline, or one of another svc' }

const entry = z.strictObject(
  {
    path: text,
    record: whole,
    part: whole,
    name: text,
    external_id: z.optional(text),
    sha256: text.check(z.regex(/^[0-9a-f]{64}$/, { error: 'expected a SHA-256 in hex' })),
    outcome: text,
    signals: z.array(text, { error: 'expected a list of signals' }),
  },
  ofObject,
)

const baselineShape = z.strictObject(
  {
    schema: z.literal('svc/baseline@1', isNone),
    annotator: text,
    annotator_version: text,
    taxonomy_version: text,
    options: z.optional(z.record(z.string(), z.unknown(), { error: 'expected an object of annotation options' })),
    transcripts: z.array(entry, { error: 'expected a list of transcripts' }),
  },
  ofObject,
)

/** The names that the file may have at a place. */
export const namesInBaseline = (path: readonly PropertyKey[]): string[] =>
  Object.keys(path[0] === 'transcripts' ? entry.shape : baselineShape.shape)

const head = z.looseObject({ schema: baselineShape.shape.schema }, ofObject)

/** The file of a baseline. What is none is told so, and no more: the rest of it is right in its own way. */
export const baselineChecks = {
  safeParse(json: unknown) {
    const { success, error } = head.safeParse(json)
    return success ? baselineShape.safeParse(json) : { success, error }
  },
}
