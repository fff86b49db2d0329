import { count, cut, firstLines, hideSecrets } from '@svc/text'
import * as z from 'zod/mini'
import { CheckError } from '../check-error.js'
import { nodeFiles } from '../environment.js'
import { type FileKind, type Files, readText } from '../files.js'
import { labelWords } from './words.js'

export const strata = ['failed', 'passed'] as const
/** The verdict of the transcripts that a part of a sample is drawn from. */
export type Stratum = (typeof strata)[number]

const text = z.string({ error: 'expected a text' })
const from1 = z
  .int({ error: 'expected a whole number from 1' })
  .check(z.gte(1, { error: 'expected a whole number from 1' }))
const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `expected one of ${words.join(', ')}` })

/** A line of a file of labels. */
export const labelShape = z.object(
  {
    schema: z.literal('svc/label@1', { error: 'expected "svc/label@1"; another version of svc may have written it' }),
    /** SHA-256 in hex of the messages of the transcript, as reports have it. */
    sha256: text.check(z.regex(/^[\da-f]{64}$/, { error: 'expected a SHA-256 in hex' })),
    label: oneOf(labelWords),
    /** The part of a sample that the transcript was drawn for; null if a person chose it. */
    stratum: z.nullable(
      z.object(
        {
          name: oneOf(strata),
          /** The id of the sample. */
          of: text,
          /** The number of transcripts with this verdict in the report, equal ones counted once, and of those in the sample. */
          total: from1,
          drawn: from1,
        },
        { error: 'expected an object or null' },
      ),
    ),
    /** The person. */
    by: text.check(z.minLength(1, { error: 'expected a name' })),
    /** The time in ISO 8601. */
    at: text.check(z.refine((value) => !Number.isNaN(Date.parse(value)), { error: 'expected an ISO 8601 time' })),
    note: z.exactOptional(text),
  },
  { error: 'expected an object' },
)

/** A label of a person. */
export type Label = z.infer<typeof labelShape>

/** Labels, and where they are from. */
export interface NamedLabels {
  /** Their file or another name, as messages show it. */
  from: string
  /** In the order of the file. */
  labels: readonly Label[]
}

const kind: FileKind = {
  what: 'the labels',
  hint: 'give a file of labels, as a page of svc report sample saves it',
  code: 'invalid_labels',
}

/** The largest file of labels, in bytes. */
const maxBytes = 64 << 20

/**
 * Read a file of labels, a line of JSON each.
 *
 * @throws {CheckError} if it is missing, or with every line that is no label or contradicts another one
 */
export async function readLabels(path: string, files: Files = nodeFiles): Promise<NamedLabels> {
  const text = await readText(files, path, kind, maxBytes)
  if (text === undefined) throw new CheckError('unreadable_file', `${path}: no such file.`, { hint: kind.hint })
  return { from: path, labels: labelsIn(text, path) }
}

/** @throws {CheckError} with the code `invalid_labels` */
export function labelsIn(text: string, from: string): Label[] {
  const labels: Label[] = []
  const problems: string[] = []
  const seen = new Map<string, { label: Label; line: number }>()
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const problem = (message: string) => problems.push(`${from}:${at + 1}: ${message}`)
    const { success, data, error } = labelShape.safeParse(jsonOf(line))
    if (!success) {
      for (const { path, message } of error.issues)
        problem(`${path.map((step) => `/${String(step)}`).join('')} ${message}`.trim())
      continue
    }
    const key = JSON.stringify([data.sha256, data.by, data.at])
    const other = seen.get(key)
    if (other && other.label.label !== data.label)
      problem(
        `contradicts line ${other.line}: ${cut(data.by, 60)} says ${data.label}, and ${other.label.label} at the same time`,
      )
    seen.set(key, { label: data, line: at + 1 })
    labels.push(data)
  }
  problems.push(...contradictingSamples(labels, from))
  if (problems.length === 0) return labels
  throw new CheckError('invalid_labels', `${from}: the labels have ${count(problems.length, 'problem')}.`, {
    details: firstLines(problems).map((line) => hideSecrets(line, [])),
    hint: kind.hint,
  })
}

/** The parts of one sample that are given with different sizes: the weight of a label would depend on the line. */
function contradictingSamples(labels: readonly Label[], from: string): string[] {
  const sizes = new Map<string, Set<string>>()
  for (const { stratum } of labels) {
    if (!stratum) continue
    const key = `${stratum.of}, ${stratum.name}`
    sizes.set(key, (sizes.get(key) ?? new Set()).add(`${stratum.drawn} of ${stratum.total}`))
  }
  return [...sizes].flatMap(([sample, counts]) =>
    counts.size < 2 ? [] : [`${from}: the sample ${sample} is given as ${[...counts].join(', and as ')}`],
  )
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
