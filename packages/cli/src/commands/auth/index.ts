export { authCommand } from './auth.js'
