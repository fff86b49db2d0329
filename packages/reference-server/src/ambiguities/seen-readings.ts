import { isObject } from '../validation/index.js'
import { type Ambiguities, ambiguityNames, ambiguityProblem } from './declarations.js'

/** The reading of an ambiguity, or why none was seen. */
export type SeenReading<Reading = string | number | boolean> =
  | { reading: Reading }
  | {
      notSeen: string
      /** A lag that is shorter than this, in milliseconds. */
      belowMs?: number
      /** A lag that is longer than this, in milliseconds. */
      aboveMs?: number
    }

/** What was seen of each ambiguity. */
export type SeenReadings = { readonly [Name in keyof Ambiguities]?: SeenReading<Ambiguities[Name]> }

/** The part of a saved run of `contract` by which a server becomes like the service that was seen. */
export interface SavedService {
  /** The version of the format. */
  readonly schema: 'svc/contract@1'
  /** The readings that were seen. */
  readonly ambiguities: SeenReadings
}

export const savedSchema = 'svc/contract@1'

/** Every problem of a saved service, as pointer and sentence. */
export function savedProblems(value: unknown): { pointer: string; expected: string }[] {
  if (!isObject(value)) return [{ pointer: '', expected: 'expected an object, as `svc contract --save` writes it' }]
  const { schema, ambiguities } = value
  if (schema !== savedSchema) {
    const detail = typeof schema === 'string' ? `, found "${schema.slice(0, 40)}": another version wrote it` : ''
    return [{ pointer: '/schema', expected: `expected "${savedSchema}"${detail}` }]
  }
  if (!isObject(ambiguities)) return [{ pointer: '/ambiguities', expected: 'expected an object' }]
  return Object.entries(ambiguities).flatMap(([name, seen]) => {
    const pointer = `/ambiguities/${name}`
    if (!isObject(seen)) return [{ pointer, expected: 'expected an object' }]
    if (typeof seen.notSeen === 'string' && isKnown(name)) return []
    const problem = ambiguityProblem(name, seen.reading)
    return problem === undefined ? [] : [{ pointer, expected: problem }]
  })
}

const isKnown = (name: string) => ambiguityNames.some((each) => each === name)

/**
 * Check a saved service from JSON.
 *
 * @throws {TypeError} if it is none, or of another version, with every problem
 */
export function readSaved(value: unknown): SavedService {
  const problems = savedProblems(value)
  if (problems.length === 0) return value as SavedService
  const texts = problems.map(({ pointer, expected }) => (pointer === '' ? expected : `${pointer}: ${expected}`))
  throw new TypeError(`Not a saved service: ${texts.join('; ')}.`)
}

/** The ambiguities whose reading was seen. */
export const readingsIn = ({ ambiguities }: SavedService): Partial<Ambiguities> =>
  Object.fromEntries(
    Object.entries(ambiguities).flatMap(([name, seen]) => ('reading' in seen ? [[name, seen.reading]] : [])),
  )
