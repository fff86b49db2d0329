export { defaultPolicy, type Override, type Policy, policyInForce, type Rate, type Rules } from './in-force.js'
export { rulesFor, unmatchedPatterns } from './overrides.js'
export { type Contradiction, contradictionsIn, contradictionsWith, isAtLeast, isOnScale } from './policy.js'
export {
  type FilePolicy,
  type FoundPolicy,
  findPolicyFile,
  type PolicyFile,
  policyNames,
  readPolicyFile,
} from './policy-file.js'
export { type PolicyJson, parseShare, policyKeys, rateInForce } from './schema.js'
