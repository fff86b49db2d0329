import { dirname, relative, sep } from 'node:path'
import { canonicalJson, cut, inertJson, isStdin } from '@svc/text'
import * as z from 'zod/mini'
import { CliError, exit } from '../../../cli/src/exit.js'
import { type Io, refuseUnwritableFile, writeOut } from '../../../cli/src/io/index.js'
import { areSameVersions, type Versions, versionsText } from '../ask/versions.js'
import { type FileKind, parseFile, textOf } from '../files.js'
import { areSameOptions, type Baseline, type Options } from './baseline.js'

const kind: FileKind = {
  what: 'the baseline',
  code: 'invalid_baseline',
  hint: 'correct the file; or remove it, and write it again with --update-baseline',
}

/** The baseline in a file; undefined if there is no file and `update` is set. */
export async function readBaseline(
  io: Io,
  path: string,
  { annotator, update }: { annotator: string; update: boolean },
): Promise<Baseline | undefined> {
  const text = await textOf(io, path, kind, 256 << 20)
  if (text === undefined) {
    if (update) return undefined
    throw new CliError(exit.input, `${path}: no such baseline.`, {
      hint: 'give the path of a baseline, or write one with --update-baseline',
    })
  }
  const baseline: Baseline = await parseFile({ path, text }, baselineChecks, namesInBaseline, kind)
  if (baseline.annotator === annotator || update) return baseline
  throw new CliError(exit.input, `${path}: the baseline is of annotator "${baseline.annotator}", not "${annotator}".`, {
    hint: `check with --annotator ${baseline.annotator}, or name another baseline`,
  })
}

/**
 * The error of a baseline with other versions or options than this check, because the annotator could cause any
 * difference; undefined if they are equal.
 */
export function notComparable(
  path: string,
  baseline: Baseline,
  { versions, options }: { versions: Versions | undefined; options: Options | undefined },
): CliError | undefined {
  const isOther = versions !== undefined && !areSameVersions(baseline, versions)
  const isAskedOtherwise = !areSameOptions(baseline.options, options)
  if (!isOther && !isAskedOtherwise) return undefined
  const details = [
    ...(isOther ? [`the baseline has ${versionsText(baseline)}`, `the service has ${versionsText(versions)}`] : []),
    ...(isAskedOtherwise
      ? [`the baseline was made with ${optionsIn(baseline.options)}`, `this check has ${optionsIn(options)}`]
      : []),
  ]
  return new CliError(exit.notJudged, `${path}: the baseline is not comparable; nothing was sent.`, {
    details,
    hint: 'review a run without --baseline, then accept it with --update-baseline',
  })
}

const optionsIn = (options: Options = {}) =>
  Object.keys(options).length === 0 ? 'no options' : `the options ${cut(canonicalJson(options), 200)}`

export const refuseUnwritableBaseline = (io: Io, path: string): Promise<void> =>
  refuseUnwritableFile(io, kind.what, path)

/** Write a baseline atomically; equal transcripts give equal bytes. */
export async function writeBaseline(io: Io, path: string, { transcripts, options, ...rest }: Baseline): Promise<void> {
  const head = { ...rest, ...(options && { options: JSON.parse(canonicalJson(options)) as Options }) }
  const start = inertJson(head, 2).replace(/\n\}$/, ',\n  "transcripts": [')
  const lines = transcripts.map((entry, at) => `${at > 0 ? ',' : ''}\n    ${inertJson(entry)}`)
  await writeOut(io, kind.what, path, [start, ...lines, `${transcripts.length > 0 ? '\n  ' : ''}]\n}\n`])
}

/** A path relative to the baseline's folder, with forward slashes on every system. */
export const pathFrom = (io: Pick<Io, 'resolve'>, baseline: string, path: string): string =>
  isStdin(path)
    ? path
    : relative(dirname(io.resolve(baseline)), io.resolve(path))
        .split(sep)
        .join('/')

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

const namesInBaseline = (path: readonly PropertyKey[]): string[] =>
  Object.keys(path[0] === 'transcripts' ? entry.shape : baselineShape.shape)

const head = z.looseObject({ schema: baselineShape.shape.schema }, ofObject)

/** A document with another schema is reported by its schema only. */
const baselineChecks = {
  safeParse(json: unknown) {
    const { success, error } = head.safeParse(json)
    return success ? baselineShape.safeParse(json) : { success, error }
  },
}
