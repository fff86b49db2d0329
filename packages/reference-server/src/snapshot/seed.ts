import { type Ambiguities, ambiguityProblems } from '../ambiguities/index.js'
import { type AnnotatorScript, script } from '../annotators/index.js'
import { type FaultRule, type FaultState, faultProblem, parseFault } from '../faults/index.js'
import type { RateLimits } from '../rate-limit.js'
import type { Surface } from '../types.js'
import {
  anyObject,
  boolean,
  checkedBy,
  closed,
  distinct,
  expecting,
  isObject,
  isoDate,
  list,
  oneOf,
  reader,
  string,
  type Validator,
  wholeNumber,
} from '../validation/index.js'
import { distinctRecords, recordFields, type WorldSeed } from '../world/index.js'

/** A window of a rate limit that has begun. */
export interface SeedWindow {
  /** The surface of the key. Default: it is the window of the provider. */
  surface?: Surface
  /** The place of the key in the list of keys, from 0. */
  key?: number
  /** Milliseconds since it began. */
  ageMs: number
  /** The requests that it has counted. */
  requests: number
}

/** The content of a server at its start, as JSON: records, and what is set around them. A snapshot is one. */
export interface Seed extends WorldSeed {
  /** The version of the form. Default 1. */
  version?: 1
  /** The parts that a snapshot holds, for people; a server does not read it. */
  holds?: readonly string[]
  /** Annotators that answer by a script, in place of or beside those of the server. Default: none. */
  annotators?: readonly AnnotatorScript[]
  /** Rules of faults, in place of those of the server: objects, texts, or rules with what they have counted. */
  faults?: readonly (FaultRule | string | FaultState)[]
  /** The rate limits, in place of those of the server; null: none. */
  limits?: RateLimits | null
  /** Windows of rate limits that have begun. Default: none. */
  windows?: readonly SeedWindow[]
  /** Ambiguities of the interface, beside those of the server. */
  ambiguities?: Partial<Ambiguities>
  /** True if the annotation job of every upload fails. Default false. */
  submitError?: boolean
  /** The time and whether it passes, for a steered clock; any other clock keeps its time. */
  clock?: { now: string; running?: boolean }
  /** How many ids and lists the server has made, so that the next ones differ. Default: none. */
  made?: { ids: number; lists: number }
}

const isAtLeast = (value: unknown, min: number) => typeof value === 'number' && value >= min
const duration = expecting('expected a number of milliseconds over 0', (value) => isAtLeast(value, Number.MIN_VALUE))

/** A number of requests, or of entries. */
export const count = expecting(
  'expected a whole number from 0, or Infinity',
  (value) => isAtLeast(value, 0) && (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY),
)
const quota = { requests: count, windowMs: duration }

const saturation = closed(quota)
const saturationAlone = closed({ saturation })
const allLimits = closed(quota, { saturation })

export const limits: Validator = (value, out) => {
  const isAlone = isObject(value) && value.saturation !== undefined && !('requests' in value) && !('windowMs' in value)
  const validator = isAlone ? saturationAlone : allLimits
  validator(value, out)
}

export const ambiguities: Validator = (value, out) => {
  if (!isObject(value)) anyObject(value, out)
  else for (const problem of ambiguityProblems(value)) out.push({ pointer: '', expected: problem })
}

function ruleProblem(value: unknown): string | undefined {
  if (isObject(value)) return faultProblem(value)
  if (typeof value !== 'string') return 'expected an object or a text'
  try {
    return void parseFault(value)
  } catch (error) {
    return (error as Error).message.replace(/\.$/, '')
  }
}

export const faultRule = checkedBy(ruleProblem)

const faultState = closed({ rule: faultRule, count: wholeNumber(0) }, { limitedForMs: wholeNumber(0) })

const fields = closed({}, {
  ...recordFields,
  version: expecting('expected 1', (value) => value === 1),
  holds: list(string),
  annotators: list(script),
  faults: list((value, out) => (isObject(value) && 'rule' in value ? faultState : faultRule)(value, out)),
  limits: (value, out) => (value === null ? undefined : limits(value, out)),
  windows: list(
    closed(
      { ageMs: wholeNumber(), requests: wholeNumber(0) },
      { surface: oneOf(['annotation', 'workspace']), key: wholeNumber(0) },
    ),
  ),
  ambiguities,
  submitError: boolean,
  clock: closed({ now: isoDate }, { running: boolean }),
  made: closed({ ids: wholeNumber(0), lists: wholeNumber(0) }),
} satisfies Record<keyof Seed, Validator>)

export const seed: Validator = (value, out) => {
  fields(value, out)
  if (out.length > 0) return
  distinctRecords(value, out)
  const { annotators = [] } = value as Seed
  distinct(new Map(annotators.map(({ id }, i) => [`/annotators/${i}/id`, id])), out)
}

/** Check a seed or snapshot from JSON. Throws an Error with a pointer to every problem. */
export const readSeed = reader<Seed>('seed', seed)
