import * as z from 'zod/mini'

const text = z.string({ error: 'expected a text' })
const whole = z.number({ error: 'expected a whole number from 1' }).check(z.gte(1), z.multipleOf(1))
const ofObject = {
  error: ({ code }: { code?: string }) => (code === 'unrecognized_keys' ? 'unknown name' : 'expected an object'),
}

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

/** The file of a baseline. */
export const baselineShape = z.strictObject(
  {
    schema: z.literal('svc/baseline@1', {
      error: 'expected "svc/baseline@1"; this is no baseline, or one of another svc',
    }),
    annotator: text,
    annotator_version: text,
    taxonomy_version: text,
    transcripts: z.array(entry, { error: 'expected a list of transcripts' }),
  },
  ofObject,
)

/** The names that the file may have at a place. */
export const namesInBaseline = (path: readonly PropertyKey[]): string[] =>
  Object.keys(path[0] === 'transcripts' ? entry.shape : baselineShape.shape)
