export { type CustomResult, type CustomRules, nothingFound, runCodePolicy, runRules } from './rules.js'
