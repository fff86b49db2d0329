export {
  asList,
  asObject,
  defined,
  describe,
  hasAny,
  isObject,
  type JsonObject,
  type Loose,
  objectAt,
  objectsOf,
  textOf,
  textsAt,
  wordMap,
  wordSet,
} from './json.js'
export { type Position, PositionsIn, positionInWhole } from './positions.js'
export { foundAt, maxDepth, syntaxError } from './scan.js'
