export {
  defaultPolicy,
  type Override,
  type Policy,
  policyInForce,
  type Rate,
  type Rules,
  withDefaults,
} from './in-force.js'
export { type PatternBase, rulesFor, unmatchedPatterns } from './overrides.js'
export { type Contradiction, contradictionsIn, contradictionsWith, isAtLeast, isOnScale } from './policy.js'
export {
  type FilePolicy,
  type FoundPolicy,
  findPolicyFile,
  type PolicyFile,
  policyNames,
  policyOfValue,
  readPolicyFile,
} from './policy-file.js'
export { type ReadPolicyOptions, readPolicy, rulesFrom } from './read-policy.js'
export { type PolicyJson, parseShare, policyKeys, rateInForce } from './schema.js'
