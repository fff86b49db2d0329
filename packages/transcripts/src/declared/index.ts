export type * from './declaration.js'
export { defineFormat } from './define-format.js'
