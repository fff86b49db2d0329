export * from './json.js'
export { type Position, PositionsIn, positionInWhole } from './positions.js'
export { foundAt, maxDepth, syntaxError } from './scan.js'
