export * from './policy.js'
export { parseHttpDate, parseRetryAfter } from './retry-after.js'
