export { ambiguities, count, faultRule, limits, readSeed, type Seed, type SeedWindow, seed } from './seed.js'
export {
  applySeed,
  checkScripts,
  keysOf,
  type Snapshot,
  type SnapshotOptions,
  type StatefulParts,
  setClock,
  snapshotOf,
} from './snapshot.js'
