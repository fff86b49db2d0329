export { type RateLimit, type RateLimiters, rateLimiting } from './limiter.js'
