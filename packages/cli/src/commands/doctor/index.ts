export { doctorCommand } from './command.js'
