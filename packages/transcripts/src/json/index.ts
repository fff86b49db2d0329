export { DroppedValue, droppedValues } from './dropped-values.js'
export * from './json.js'
export { type Position, PositionsIn, positionInWhole } from './positions.js'
export {
  cutOffText,
  endOfValue,
  foundAt,
  JsonSyntaxError,
  maxDepth,
  parseBounded,
  quoteLargeNumbers,
  syntaxError,
} from './scan.js'
