export { type RateLimit, type RateLimiter, rateLimiting } from './limiter.js'
export type { Permit } from './state.js'
