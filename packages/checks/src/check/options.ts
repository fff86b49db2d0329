import { types } from 'node:util'
import type { Clock } from '@svc/client'
import { nearest } from '@svc/text'
import type { AnnotatingClient } from '../ask/index.js'
import { type Baseline, baselineOfValue, refuseOtherAnnotator } from '../baseline/index.js'
import type { Cache } from '../cache.js'
import { CheckError } from '../check-error.js'
import { nodeFiles } from '../environment.js'
import { requirePlainData } from '../plain-data.js'
import { isPolicyFile, type PolicyFile, policyOfValue, withDefaults } from '../policy/index.js'
import type { ReportCase } from '../report/index.js'
import type { Checked, CheckRule, Checks } from '../rules/index.js'
import type { CheckInput } from './input.js'
import type { Shard } from './shard.js'

/** A rule that a program passes: as one of a policy file, and it may be async. */
export type ProgramRule = (checked: Checked) => ReturnType<CheckRule> | Promise<ReturnType<CheckRule>>

/** A policy of a program: the names of `svc.checks.json`, and functions as rules. */
export interface CheckPolicy extends Omit<Checks, 'rules'> {
  /** Rules by name. A name must not be that of a signal of the annotator. */
  rules?: Record<string, ProgramRule> | undefined
}

/** Options of `check`. */
export interface CheckOptions {
  /** The client that asks for the annotations. */
  client: AnnotatingClient
  /** The id of the annotator. Default: that of the policy. */
  annotator?: string | undefined
  /** The transcripts to check, in the order of the report. All are read before the first request. An error of an iterable ends the check, and is thrown. */
  transcripts: AsyncIterable<CheckInput> | Iterable<CheckInput>
  /** A policy as a value, or as `readPolicy` gives it. Functions of a value run in this process, and may be async. Default: fail at `poor`. */
  policy?: CheckPolicy | PolicyFile | undefined
  /** Annotation options. They override those of the policy. */
  options?: Record<string, unknown> | undefined
  /** The accepted findings, as `readBaseline` gives them: they fail nothing. */
  baseline?: Baseline | undefined
  /** The file of the baseline; its paths are relative to its folder. Default: `svc.baseline.json`. */
  baselinePath?: string | undefined
  /** Annotations of earlier runs, as `openCache` gives them. Close it after the check. */
  cache?: Cache | undefined
  /** How often each transcript is annotated, from 1 to 9. It fails if at least half fail. Default: that of the policy, else 1. */
  attempts?: number | undefined
  /**
   * Judge one of several parts of the transcripts, by their content. Each part needs all transcripts, and the merge of its
   * reports decides. Default: judge all.
   */
  shard?: Shard | undefined
  /** Repeat only transcripts that fail at first. Default: that of the policy, else false. */
  confirmOnFail?: boolean | undefined
  /** The number of requests at the same time. Default: 4. */
  concurrency?: number | undefined
  /** A run without transcripts passes. Default: false, it is not judged. */
  allowEmpty?: boolean | undefined
  /** Its abort ends the check: transcripts that are not annotated by then are not judged, so that it does not pass. */
  signal?: AbortSignal | undefined
  /** Called once with each case: as soon as it is judged, or at the end if nothing was asked about it. An error of it ends the check, and is thrown. */
  onCase?: ((each: ReportCase) => void) | undefined
  /** Cases contain the turns of the transcripts, which the HTML report shows, as that of `svc check` does. Default: false. */
  withTurns?: boolean | undefined
  /** The checked paths, as reports show them. Default: not shown. */
  paths?: readonly string[] | undefined
  /** The commit that was checked, as reports show it. */
  commit?: string | undefined
  /** The time. Default: that of the machine. */
  clock?: Clock | undefined
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isWhole = (value: unknown, max = Infinity): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max
const isIterable = (value: unknown): boolean =>
  typeof value !== 'string' && (Symbol.asyncIterator in Object(value) || Symbol.iterator in Object(value))
const has = (method: string) => (value: unknown) => typeof Object(value)[method] === 'function'

/** The values that each option accepts. A gate must not run with the default of an option that is misspelt or of another type. */
const shapes: Record<keyof CheckOptions, readonly [isRight: (value: unknown) => boolean, expected: string]> = {
  client: [(value) => isObject(Object(value).annotations), 'a client of createClient'],
  transcripts: [isIterable, 'an array, iterable or async iterable of transcripts'],
  annotator: [isText, 'the id of an annotator'],
  policy: [isObject, 'an object, or what readPolicy gives'],
  options: [isObject, 'an object'],
  baseline: [(value) => Array.isArray(Object(value).transcripts), 'what readBaseline gives'],
  baselinePath: [isText, 'the path of a file'],
  cache: [has('get'), 'what openCache gives'],
  attempts: [(value) => isWhole(value, 9), 'a whole number from 1 to 9'],
  confirmOnFail: [isBoolean, 'true or false'],
  concurrency: [isWhole, 'a whole number from 1'],
  shard: [(value) => isShard(Object(value)), '{ index, count } with an index from 0 and below the count'],
  allowEmpty: [isBoolean, 'true or false'],
  signal: [has('addEventListener'), 'an AbortSignal'],
  onCase: [(value) => typeof value === 'function', 'a function'],
  withTurns: [isBoolean, 'true or false'],
  paths: [Array.isArray, 'a list of paths'],
  commit: [(value) => typeof value === 'string', 'a text'],
  clock: [has('now'), 'a clock'],
}

/** Options that are used as they are: objects with methods, and those that are copied where they are read. */
const handles: readonly string[] = ['client', 'transcripts', 'policy', 'baseline', 'cache', 'signal', 'onCase', 'clock']

/**
 * A copy of the options of a check, each read once.
 *
 * @throws {CheckError} for an option that is unknown, missing, of another type, or no plain data
 */
export function checkedOptions(options: CheckOptions): CheckOptions {
  const given = Object(requirePlainData(options, 'check', ([name = '']) => handles.includes(name))) as CheckOptions
  refuseOtherOptions(given)
  return { ...given, ...(given.baseline && { baseline: baselineOfValue(given.baseline, 'check') }) }
}

/**
 * The checked options of a check with their defaults.
 *
 * @throws {CheckError} for a policy that cannot be used
 */
export function settingsOf(given: CheckOptions) {
  const { policy: named = {}, baseline, baselinePath = 'svc.baseline.json', concurrency = 4 } = given
  const file = policyFileOf(named, given.clock)
  const annotator = given.annotator ?? file.annotator
  const { attempts = file.attempts ?? 1, confirmOnFail = file.confirmOnFail ?? false } = given
  if (annotator === undefined) throw invalid('annotator', `${shapes.annotator[1]}, here or in the policy`)
  if (confirmOnFail && attempts < 2) throw invalid('attempts', '2 or more, because confirmOnFail is set')
  if (baseline) refuseOtherAnnotator(baselinePath, baseline, annotator)
  const options = file.options || given.options ? { ...file.options, ...given.options } : undefined
  return {
    annotator,
    annotatorPlace: given.annotator === undefined && isPolicyFile(named) ? named.annotatorPlace() : undefined,
    policy: withDefaults(file.policy),
    custom: file.rules,
    verify: file.verify,
    options,
    limits: { attempts, confirmOnFail },
    concurrency,
    shard: given.shard,
    baselinePath,
    base: { folder: file.folder, resolve: nodeFiles.resolve },
    signal: given.signal ?? new AbortController().signal,
  }
}

function refuseOtherOptions(given: CheckOptions): void {
  for (const [name, [isRight, expected]] of Object.entries(shapes)) {
    const value = given[name as keyof CheckOptions]
    const isRequired = name === 'client' || name === 'transcripts'
    if (value !== undefined && types.isPromise(value)) throw invalid(name, `${expected}; await the promise`)
    if (value === undefined ? isRequired : !isRight(value)) throw invalid(name, expected)
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(shapes, name))
  if (unknown === undefined) return
  const meant = nearest(unknown, Object.keys(shapes))
  throw new CheckError('invalid_option', `check: unknown option "${unknown}".`, {
    ...(meant !== undefined && { hint: `did you mean ${meant}?` }),
  })
}

/** @throws {CheckError} for a value that is no policy */
export const policyFileOf = (policy: CheckPolicy | PolicyFile, clock?: Clock): PolicyFile =>
  isPolicyFile(policy) ? policy : policyOfValue(policy, nodeFiles, clock)

const isShard = ({ index, count }: Shard): boolean =>
  Number.isInteger(index) && Number.isInteger(count) && index >= 0 && index < count

const invalid = (option: string, expected: string) =>
  new CheckError('invalid_option', `check: expected ${option} to be ${expected}.`)
