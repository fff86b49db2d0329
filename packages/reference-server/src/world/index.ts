export { type IdSource, isProjectId, seededIds } from './ids.js'
export type {
  Annotations,
  ModelAnnotations,
  NewKey,
  NewProject,
  NewTranscript,
  StoredProject,
  StoredTranscript,
} from './records.js'
export {
  readNewProject,
  readSeed,
  referenceKey,
  referenceWorkspace,
  type Seed,
  type SeedProject,
  seed,
} from './seed.js'
export { type Change, type Store, type Table, tables } from './store.js'
export { seedProject, seedWorld, World } from './world.js'
