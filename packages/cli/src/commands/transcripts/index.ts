export { transcriptsCommand } from './command.js'
