export { explainCommand } from './explain.js'
export { topics } from './topics.js'
