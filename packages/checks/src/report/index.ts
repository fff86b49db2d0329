export { casesBlock, type EmbeddedTurn, embedded, reportBlock, turnsBlock } from './embedded.js'
export * from './report.js'
export * from './terms.js'
export * from './wording.js'
