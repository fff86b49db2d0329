export { uploadsCommand } from './command.js'
