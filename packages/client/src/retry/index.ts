export * from './policy.js'
export { isEpoch, longestRetryAfterMs, parseHttpDate, parseRetryAfter } from './retry-after.js'
