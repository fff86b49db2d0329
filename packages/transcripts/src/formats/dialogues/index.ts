export { hasMapped } from './dialogues.js'
