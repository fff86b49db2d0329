export * from './checks.js'
export * from './isolated.js'
export * from './limits.js'
export * from './rules.js'
