export { type RateLimit, type RateLimiter, type RateLimiters, rateLimiting } from './limiter.js'
export type { Permit } from './state.js'
