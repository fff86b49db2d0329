export { createControl, isControl } from './control.js'
export { controlOperations } from './operations.js'
export { callOf, curlOf, masked } from './snippets.js'
