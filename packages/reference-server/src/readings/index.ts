export {
  defaultReadings,
  parseReadings,
  type Readings,
  readingProblem,
  readingProblems,
  readingValues,
} from './declarations.js'
export { errorBody } from './error-body.js'
export { pageOf } from './list-page.js'
export { ServerReadings } from './server-readings.js'
export { shownRow, shownTurns, storedMetadata } from './shown-records.js'
