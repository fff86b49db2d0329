export { configCommand } from './config.js'
