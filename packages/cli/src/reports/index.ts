export { type Delivery, deliver, deliverError, refuseShared, refuseUnwritable } from './deliver.js'
export {
  type DiffTarget,
  diffFormats,
  fileTargetOf,
  goesToFile,
  ownsStdout,
  placesOf,
  reportIds,
  type Target,
  targetOf,
} from './targets.js'
export { exitAfter, isReport, writeReports } from './write.js'
