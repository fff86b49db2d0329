export { descriptionPage } from './description-page.js'
export type { Context, Operation, ServerParts } from './operation.js'
export { currentOperations, operations } from './operations.js'
export { queryProblem } from './query.js'
