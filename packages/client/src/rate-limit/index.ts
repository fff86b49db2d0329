export { type RateLimit, type RateLimiters, type Release, type Reset, rateLimiting } from './limiter.js'
