import { dirname, relative, sep } from 'node:path'
import { canonicalJson, checkValue, cut, escapeJson } from '@svc/text'
import * as z from 'zod/mini'
import { areSameVersions, type Versions, versionsText } from '../annotation.js'
import { CheckError } from '../check-error.js'
import { nodeFiles } from '../environment.js'
import { type FileKind, type Files, isStdin, parseFile, readText, refuseOtherPath, valid } from '../files.js'
import { requirePlainData } from '../plain-data.js'
import { type BaselineEntry, hasReason, isDay } from './acceptance.js'
import { areSameOptions, type Baseline, type Options } from './baseline.js'

const kind: FileKind = {
  what: 'the baseline',
  hint: 'correct the file, or restore it; if another svc wrote it, remove it, write it again with --update-baseline, and review what it accepts',
  code: 'invalid_baseline',
}

/**
 * The baseline in a file. Undefined if there is no such file: nothing is accepted yet, and `nextBaseline` makes the first one.
 * (`readPolicy` throws for a missing file, because a check without its policy would pass what it must not.)
 *
 * @throws {CheckError} with the place of each problem
 */
export async function readBaseline(path: string, files: Files = nodeFiles): Promise<Baseline | undefined> {
  refuseOtherPath(path, 'readBaseline')
  const text = await readText(files, path, kind, 256 << 20)
  return text === undefined ? undefined : parseFile({ path, text }, baselineChecks, namesInBaseline, kind)
}

/**
 * A copy of a baseline that a program gives as a value.
 *
 * @throws {CheckError} with the JSON pointer of each problem
 */
export function baselineOfValue(given: unknown, name: string): Baseline {
  const value = requirePlainData(given, `${name}: the baseline cannot be used`)
  const hint = 'give what readBaseline or nextBaseline gives'
  return valid(checkValue(value, baselineChecks, namesInBaseline), name, { ...kind, hint })
}

export function refuseOtherAnnotator(
  path: string,
  { annotator: baselineAnnotator }: Baseline,
  annotator: string,
): void {
  if (baselineAnnotator === annotator) return
  throw new CheckError(
    'invalid_baseline',
    `${path}: the baseline is of annotator "${baselineAnnotator}", not "${annotator}".`,
    {
      hint: `check with --annotator ${baselineAnnotator}, or name another baseline`,
    },
  )
}

/**
 * The error of a baseline with other versions or options than this check, because the annotator could cause any
 * difference; undefined if they are equal.
 */
export function notComparable(
  path: string,
  baseline: Baseline,
  { versions, options }: { versions: Versions | undefined; options: Options | undefined },
): CheckError | undefined {
  const isOther = versions !== undefined && !areSameVersions(baseline, versions)
  const isAskedOtherwise = !areSameOptions(baseline.options, options)
  if (!isOther && !isAskedOtherwise) return undefined
  const details = [
    ...(isOther ? [`the baseline has ${versionsText(baseline)}`, `the service has ${versionsText(versions)}`] : []),
    ...(isAskedOtherwise
      ? [`the baseline was made with ${optionsText(baseline.options)}`, `this check has ${optionsText(options)}`]
      : []),
  ]
  return new CheckError('not_comparable', `${path}: the baseline is not comparable; nothing was sent.`, {
    details,
    hint: isAskedOtherwise
      ? 'check without --baseline, compare with `svc report compare`, then accept the changes with --update-baseline'
      : 'check without --baseline, with --attempts 3 and not --confirm-on-fail; `svc report compare OLD NEW` shows which unchanged transcripts now fail; then accept these: --update-baseline --accept judge --against OLD',
  })
}

/** @throws {CheckError} for a baseline of other options, because these could cause any difference */
export function refuseOtherOptions(path: string, baseline: Baseline, options: Options | undefined): void {
  const error = notComparable(path, baseline, { versions: undefined, options })
  if (error) throw error
}

/** As in `no options`. */
export const optionsText = (options: Options = {}) =>
  Object.keys(options).length === 0 ? 'no options' : `the options ${cut(canonicalJson(options), 200)}`

/** The text of a baseline in parts; equal transcripts give equal bytes. */
export function* baselineParts({ transcripts, options, ...rest }: Baseline): Generator<string> {
  const head = { ...rest, ...(options && { options: JSON.parse(canonicalJson(options)) as Options }) }
  yield escapeJson(head, 2).replace(/\n\}$/, ',\n  "transcripts": [')
  for (const [at, each] of transcripts.entries()) yield `${at > 0 ? ',' : ''}\n    ${escapeJson(inOrder(each))}`
  yield `${transcripts.length > 0 ? '\n  ' : ''}]\n}\n`
}

/** The text of a baseline, for its file. Equal baselines give equal texts. */
export const baselineText = (baseline: Baseline): string => [...baselineParts(baseline)].join('')

/** A path relative to the baseline's folder, with forward slashes on every system. */
export const pathFrom = ({ resolve }: Pick<Files, 'resolve'>, baseline: string, path: string): string =>
  isStdin(path)
    ? path
    : relative(dirname(resolve(baseline)), resolve(path))
        .split(sep)
        .join('/')

const text = z.string({ error: 'expected a text' })
const whole = z.number({ error: 'expected a whole number from 1' }).check(z.gte(1), z.multipleOf(1))
const ofObject = {
  error: ({ code }: { code?: string }) => (code === 'unrecognized_keys' ? 'unknown name' : 'expected an object'),
}

const isNone = { error: 'expected "svc/baseline@2"; this is no baseline, or one of another svc' }

const finding = z.strictObject(
  {
    rule: z.enum(['outcome', 'forbidden', 'not allowed', 'required', 'custom'], {
      error: 'expected the name of a rule',
    }),
    signal: z.optional(text),
    reason: z.exactOptional(text),
    author: z.exactOptional(text),
    expires: z.exactOptional(text.check(z.refine(isDay, { error: 'expected a day such as 2026-12-31' }))),
  },
  ofObject,
)

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
    anyContent: z.exactOptional(z.literal(true, { error: 'expected true, or no such name' })),
    findings: z.array(finding, { error: 'expected a list of findings' }),
  },
  ofObject,
)

const baselineShape = z.strictObject(
  {
    schema: z.literal('svc/baseline@2', isNone),
    annotator: text,
    annotator_version: text,
    taxonomy_version: text,
    options: z.optional(z.record(z.string(), z.unknown(), { error: 'expected an object of annotation options' })),
    transcripts: z.array(
      entry.check(
        z.refine(({ anyContent, findings }) => anyContent !== true || findings.every(hasReason), {
          error: 'expected a reason for each finding, because the entry accepts them for any content',
          path: ['anyContent'],
        }),
        z.refine(({ anyContent, external_id: id }) => anyContent !== true || id !== undefined, {
          error: 'expected an external_id beside it, by which other content is known',
          path: ['anyContent'],
        }),
      ),
      { error: 'expected a list of transcripts' },
    ),
  },
  ofObject,
)

const namesInBaseline = (path: readonly PropertyKey[]): string[] =>
  Object.keys((path[2] === 'findings' ? finding : path[0] === 'transcripts' ? entry : baselineShape).shape)

const head = z.looseObject({ schema: baselineShape.shape.schema }, ofObject)

/** A document with another schema is reported by its schema only. */
const baselineChecks = {
  safeParse(json: unknown) {
    const { success, error } = head.safeParse(json)
    return success ? baselineShape.safeParse(json) : { success, error }
  },
}

/** An entry with its fields in one order, wherever it comes from, so that an update changes no line of another transcript. */
const inOrder = (of: BaselineEntry) => ({
  ...ordered(of, entry.shape),
  findings: of.findings.map((each) => ordered(each, finding.shape)),
})

const ordered = (of: object, shape: object) =>
  Object.fromEntries(Object.keys(shape).flatMap((name) => (name in of ? [[name, of[name as keyof typeof of]]] : [])))
