export { defined, describe, hasAny, isObject, type JsonObject, type Loose, objectAt, textOf } from './json.js'
export { type Position, PositionsIn, shifted } from './positions.js'
export { foundAt, maxDepth, syntaxError } from './scan.js'
