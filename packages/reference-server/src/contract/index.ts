export {
  ContractError,
  type ContractErrorCode,
  type ContractOptions,
  contract,
  planContract,
  seenAmbiguities,
} from './contract.js'
export type { ContractResult, RuleResult, SeenReading, SeenReadings } from './result.js'
export { rules } from './rules/index.js'
export {
  type Answered,
  type Ask,
  type ContractFetch,
  type ContractKeys,
  type Created,
  type Exchange,
  NotTried,
  type Service,
} from './service.js'
export { createTrial, Different, type Rule, type Trial } from './trial.js'
