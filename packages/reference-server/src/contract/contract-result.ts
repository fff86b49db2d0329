import { readSaved, type SavedService, type SeenReading } from '../ambiguities/index.js'
import { isObject } from '../validation/index.js'
import type { Created, Exchange } from './service.js'

/** What a rule showed. */
export interface RuleResult {
  /** A sentence about behavior. */
  name: string
  /** The heading of the interface that says so. */
  source: string
  /** Whether the service does what the rule says. */
  result: 'as described' | 'different' | 'not tried'
  /** How it differs, or why it was not tried. */
  reason?: string
  /** Of a rule that differs: its last requests and answers, without keys. */
  exchanges?: readonly Exchange[]
}

/** What a run of the contract showed about a service. It holds no key. */
export interface ContractResult extends SavedService {
  /** The time of the run, ISO 8601. */
  at: string
  /** Base URL of the annotation surface, without user and query; null if it was not tried. */
  base_url: string | null
  /** Base URL of the workspace surface, without user and query; null if it was not tried. */
  public_base_url: string | null
  /** The project of the run; null if none was used. */
  project: string | null
  /** The number of requests, with those that were repeated after a 429. */
  requests: number
  /** What the run has created, as far as the service said so. */
  created: Created
  /** Milliseconds between two polls: a lag is exact to one of them. */
  poll_ms: number
  /** Every rule of the interface, in a fixed order. */
  rules: readonly RuleResult[]
}

const results: ReadonlySet<unknown> = new Set(['as described', 'different', 'not tried'])

/** A reading as text, or why none was seen. */
export const readingText = (seen: SeenReading): string =>
  'reading' in seen ? String(seen.reading) : `not seen: ${seen.notSeen}`

/**
 * Check a result that was saved as JSON.
 *
 * @throws {TypeError} if it is none, or of another version, with every problem
 */
export function readContract(value: unknown): ContractResult {
  const { at, rules, poll_ms } = readSaved(value) as Partial<ContractResult>
  const isRule = (rule: unknown) => isObject(rule) && typeof rule.name === 'string' && results.has(rule.result)
  if (!Array.isArray(rules) || !rules.every(isRule))
    throw new TypeError('Not a saved service: /rules: expected an array of results.')
  if (typeof poll_ms !== 'number' || !(poll_ms >= 0))
    throw new TypeError('Not a saved service: /poll_ms: expected a number from 0.')
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at)))
    throw new TypeError('Not a saved service: /at: expected a time in ISO 8601.')
  return value as ContractResult
}
