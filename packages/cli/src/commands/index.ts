export type { Act, Command } from './act.js'
export { duration } from './arguments.js'
