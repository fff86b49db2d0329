/**
 * The parts that `svc upload` and `svc uploads` use beside the durable upload itself: the entries and files of ledgers, the machine
 * under Node, and files that one process writes.
 *
 * @module @svc/bulk/parts
 */

export { type Claim, claim, hasEnded, makeFolder, ownerMark, syncFolder } from './claims.js'
export { nodeDisk, nodeHost } from './environment/index.js'
export {
  emptiedFiles,
  fileOf as ledgerFileOf,
  hasUnknownOutcome,
  historyOf,
  normalTarget,
  type UnfinishedRebuild,
  unfinishedRebuilds,
} from './ledger/index.js'
export { changeItems, removeEmptied } from './maintenance.js'
export { readUploadStates, type UploadStates } from './upload/index.js'
