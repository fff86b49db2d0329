export * from './core.js'
export { createReferenceServer, type ReferenceServerWithHandlers } from './handlers.js'
