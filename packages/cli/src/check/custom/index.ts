export { runCodePolicy } from './module.js'
export { type CustomResult, type CustomRules, nothingFound, runRules } from './rules.js'
