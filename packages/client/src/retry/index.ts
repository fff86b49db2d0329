export { type Decision, decide, defaultRetry, noRetry, type Outcome, type RetryPolicy } from './policy.js'
export { parseHttpDate, parseRetryAfter } from './retry-after.js'
