import type { Ambiguities } from '../ambiguities/index.js'
import type { Created, Exchange } from './service.js'

/** What a rule showed. */
export type RuleResult =
  | { name: string; source: string; result: 'as described' }
  | { name: string; source: string; result: 'different'; reason: string; exchanges: readonly Exchange[] }
  | { name: string; source: string; result: 'not tried'; reason: string }

/** The reading of an ambiguity, or why none was seen. `belowMs`: a lag that is shorter than this. */
export type SeenReading<Reading = string | number | boolean> =
  | { reading: Reading }
  | { notSeen: string; belowMs?: number }

export type SeenReadings = { readonly [Name in keyof Ambiguities]?: SeenReading<Ambiguities[Name]> }

/** What a run of the contract showed about a service. It holds no key. */
export interface ContractResult {
  schema: 'svc/contract@1'
  /** The time of the run, ISO 8601. */
  at: string
  baseUrl: string | null
  publicBaseUrl: string | null
  /** The project of the run; null if none was used. */
  project: string | null
  requests: number
  /** What the run has created, as far as the service said so. */
  created: Created
  /** The milliseconds between two polls: a lag is right to one of them. */
  pollMs: number
  ambiguities: SeenReadings
  rules: readonly RuleResult[]
}
