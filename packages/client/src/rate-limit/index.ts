export { type Gate, newGate, pass, type RateLimit, rateLimitOf, report } from './limiter.js'
export type { Ticket } from './state.js'
