export { createControl, isControl } from './control.js'
