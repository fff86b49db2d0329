export {
  type AllAmbiguities,
  type Ambiguities,
  ambiguityNames,
  ambiguityProblem,
  ambiguityProblems,
  ambiguityValues,
  defaultAmbiguities,
  parseAmbiguities,
  type TestAmbiguities,
  testAmbiguityNames,
} from './declarations.js'
export { errorBody } from './error-body.js'
export { pageOf } from './list-page.js'
export {
  readingsIn,
  readSaved,
  type SavedService,
  type SeenReading,
  type SeenReadings,
  savedProblems,
  savedSchema,
} from './seen-readings.js'
export { ServerAmbiguities } from './server-ambiguities.js'
export { shownRow, shownTurns, storedMetadata } from './shown-records.js'
