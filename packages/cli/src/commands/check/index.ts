export { checkCommand } from './check.js'
