export { exitCodes } from './exit-codes.js'
export { explainCommand } from './explain.js'
export { topics } from './topics.js'
