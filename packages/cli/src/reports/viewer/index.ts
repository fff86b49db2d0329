export { casesBlock, type EmbeddedTurn, embedded, reportBlock, turnsBlock } from './embedded.js'
export { gapText, resultWords } from './words.js'
