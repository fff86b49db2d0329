export { rulesFor, unmatchedPatterns } from './overrides.js'
export {
  type Contradiction,
  contradictionsIn,
  contradictionsWith,
  defaultPolicy,
  isAtLeast,
  isOnScale,
  parseShare,
} from './policy.js'
export {
  type FilePolicy,
  type FoundPolicy,
  findPolicyFile,
  type PolicyFile,
  policyNames,
  readPolicyFile,
} from './policy-file.js'
export { policyKeys } from './policy-schema.js'
