export { acquire, newRateLimiter, type RateLimit, type RateLimiter, rateLimitOf, release } from './limiter.js'
export type { Permit } from './state.js'
