export {
  type Decision,
  decide,
  defaultRetry,
  noRetry,
  type Outcome,
  type RetryPolicy,
  spreadOver,
  waitFor,
} from './policy.js'
export { parseHttpDate, parseRetryAfter } from './retry-after.js'
