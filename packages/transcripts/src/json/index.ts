export {
  type AllowUndefined,
  asList,
  asObject,
  defined,
  describe,
  getOrInsert,
  hasAny,
  isObject,
  type JsonObject,
  objectAt,
  objectsOf,
  textOf,
  textsAt,
  wordMap,
  wordSet,
  wordsOf,
} from './json.js'
export { type Position, PositionsIn, positionInWhole } from './positions.js'
export { foundAt, maxDepth, syntaxError } from './scan.js'
