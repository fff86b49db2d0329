export { createControl, isControl } from './control.js'
export { controlOperations } from './operations.js'
