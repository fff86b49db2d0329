/**
 * The rules of the interface and its ambiguities, tried on a service.
 *
 * @module @svc/reference-server/contract
 */

export {
  ContractError,
  type ContractErrorCode,
  type ContractOptions,
  contract,
  planContract,
  seenAmbiguities,
} from './contract.js'
export { type ContractResult, type RuleResult, readContract } from './contract-result.js'
export { type Compared, compareContracts, type Drift } from './drift.js'
export { contractPage, contractText, createdText, driftText } from './render.js'
export type { ContractFetch, ContractInit, ContractKeys, Created, Exchange } from './service.js'
