export { transcriptsCommand } from './transcripts.js'
