import { types } from 'node:util'
import { nearest } from '@svc/text'
import { CheckError } from '../check-error.js'
import { requirePlainData } from '../plain-data.js'
import type { Shard } from './select.js'

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isWhole = (value: unknown, max = Infinity): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max
const isIterable = (value: unknown): boolean =>
  typeof value !== 'string' && (Symbol.asyncIterator in Object(value) || Symbol.iterator in Object(value))
const isFunction = (value: unknown): boolean => typeof value === 'function'
const has = (method: string) => (value: unknown) => typeof Object(value)[method] === 'function'

/** The values that each option accepts. A gate must not run with the default of an option that is misspelt or of another type. */
const shapes = {
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
  against: [(value) => isText(Object(value).from), '{ from, report } with a report of a check'],
  accept: [(value) => value === 'judge', '"judge"'],
  control: [isWhole, 'a whole number from 1'],
  shard: [(value) => isShard(Object(value)), '{ index, of } with an index from 0 and below the number of shards'],
  allowEmpty: [isBoolean, 'true or false'],
  signal: [has('addEventListener'), 'an AbortSignal'],
  select: [isObject, '{ sample, seed, where, onlyFailed }'],
  updateBaseline: [isFunction, 'a function that writes the baseline'],
  skipRegistry: [isBoolean, 'true or false'],
  onStart: [isFunction, 'a function'],
  onAnswered: [isFunction, 'a function'],
  onNote: [isFunction, 'a function'],
  onStop: [isFunction, 'a function'],
  onCase: [isFunction, 'a function'],
  pause: [isFunction, 'a function'],
  locate: [isFunction, 'a function'],
  isExcluded: [isFunction, 'a function'],
  files: [has('resolve'), '{ resolve, isThere }'],
  deadlineMs: [(value) => typeof value === 'number' && value >= 0, 'a number of milliseconds'],
  failedExit: [(value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255, 'an exit code'],
  stoppedExit: [isFunction, 'a function that gives an exit code'],
  service: [isText, 'a URL'],
  notes: [Array.isArray, 'a list of texts'],
  labels: [(value) => Array.isArray(Object(value).labels), 'what readLabels gives'],
  leftOut: [Array.isArray, 'a list of { why, count, paths }'],
  redacted: [isObject, 'an object of numbers by name'],
  withTurns: [isBoolean, 'true or false'],
  paths: [Array.isArray, 'a list of paths'],
  commit: [(value) => typeof value === 'string', 'a text'],
  clock: [has('now'), 'a clock'],
} satisfies Readonly<Record<string, readonly [isRight: (value: unknown) => boolean, expected: string]>>

type Name = keyof typeof shapes

/** Options that are used as they are: objects with methods, functions, and those that are copied where they are read. */
const handles: ReadonlySet<string> = new Set<Name>([
  ...([
    'client',
    'transcripts',
    'policy',
    'baseline',
    'against',
    'cache',
    'signal',
    'clock',
    'files',
    'pause',
  ] as const),
  ...(['onStart', 'onAnswered', 'onNote', 'onStop', 'onCase', 'updateBaseline'] as const),
  ...(['locate', 'isExcluded', 'stoppedExit'] as const),
])

/**
 * A copy of the options of a check or of one of its steps, each read once. An option without a shape does not compile.
 *
 * @throws {CheckError} for an option that is unknown, missing, of another type, or no plain data
 */
export function checkedOptions<Given extends object>(
  options: Given & ([keyof Given] extends [Name] ? unknown : never),
  required: readonly (Name & keyof Given)[],
): Given {
  const given = Object(requirePlainData(options, 'check', ([name = '']) => handles.has(name)))
  for (const [name, [isRight, expected]] of Object.entries(shapes)) {
    const value = given[name]
    const isRequired = (required as readonly string[]).includes(name)
    if (types.isPromise(value)) throw invalid(name, `${expected}; await the promise`)
    if (value === undefined ? isRequired : !isRight(value)) throw invalid(name, expected)
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(shapes, name))
  if (unknown === undefined) return given
  const meant = nearest(unknown, Object.keys(shapes))
  throw new CheckError('invalid_option', `check: unknown option "${unknown}".`, {
    ...(meant !== undefined && { hint: `did you mean ${meant}?` }),
  })
}

const isShard = ({ index, of }: Shard): boolean =>
  Number.isInteger(index) && Number.isInteger(of) && index >= 0 && index < of

const invalid = (option: string, expected: string) =>
  new CheckError('invalid_option', `check: expected ${option} to be ${expected}.`)
