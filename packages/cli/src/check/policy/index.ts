export { rulesFor, unmatchedPatterns } from './overrides.js'
export {
  type Contradiction,
  contradictionsIn,
  contradictionsWith,
  defaultPolicy,
  type Indeterminate,
  indeterminates,
  isAtLeast,
  isOnScale,
  type Level,
  levelText,
  type Override,
  type Policy,
  parseShare,
  type Rate,
  type Rules,
  scale,
} from './policy.js'
export { type FilePolicy, type PolicyFile, readPolicyFile } from './policy-file.js'
