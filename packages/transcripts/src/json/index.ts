export * from './json.js'
export { type Position, PositionsIn, positionInWhole } from './positions.js'
export { cutOffText, endOfText, foundAt, JsonSyntaxError, maxDepth, parseBounded, syntaxError } from './scan.js'
