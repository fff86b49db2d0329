export type { Context, Operation, ServerParts } from './operation.js'
export { operations } from './operations.js'
