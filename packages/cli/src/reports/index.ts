export {
  type Delivery,
  deliver,
  deliverDocument,
  deliverError,
  exitAfter,
  isReport,
  refuseShared,
  refuseUnwritable,
  writeReports,
} from './deliver.js'
export {
  type FileTarget,
  fileTargetOf,
  goesToFile,
  isStdout,
  ownsStdout,
  placesOf,
  type Target,
  targetOf,
} from './targets.js'
