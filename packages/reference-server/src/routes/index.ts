export type { Context, Operation, ReceivedBody, ServerParts } from './operation.js'
export { currentOperations, operations } from './operations.js'
export { queryProblem } from './query.js'
