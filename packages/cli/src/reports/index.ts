export {
  type Delivery,
  deliver,
  deliverError,
  exitAfter,
  isReport,
  refuseShared,
  refuseUnwritable,
  writeReports,
} from './deliver.js'
export {
  type DiffTarget,
  diffFormats,
  fileTargetOf,
  goesToFile,
  isStdout,
  ownsStdout,
  placesOf,
  reportIds,
  type Target,
  targetOf,
} from './targets.js'
