export * from './checks.js'
export * from './rules.js'
