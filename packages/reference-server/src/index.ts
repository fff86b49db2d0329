/**
 * The service for tests, with MSW handlers and HTTP.
 *
 * @module @svc/reference-server
 */

export * from './core.js'
export { createReferenceServer, type ReferenceServerWithHandlers } from './handlers.js'
