/**
 * Schemas of all requests and answers.
 *
 * @module @svc/client/zod
 */

export * from './schemas.js'
