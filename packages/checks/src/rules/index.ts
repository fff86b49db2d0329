export {
  type Checked,
  type CheckedAnnotation,
  type CheckedTranscript,
  type CheckRule,
  type Checks,
  defineChecks,
  type Finding,
  type SignalRules,
} from './checks.js'
export { type CustomResult, type CustomRules, nothingFound, rulesOf, runCodePolicy, runRules } from './rules.js'
