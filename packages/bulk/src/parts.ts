/**
 * The parts that `svc upload` and `svc uploads` use beside the durable upload itself: the entries and files of ledgers.
 *
 * @module @svc/bulk/parts
 */

export {
  emptiedFiles,
  fileOf as ledgerFileOf,
  hasUnknownOutcome,
  historyOf,
  ledgersOf,
  noFolder as noLedgerFolder,
  normalTarget,
  type UnfinishedRebuild,
  unfinishedRebuilds,
} from './ledger/index.js'
export { changeItems, removeEmptied } from './maintenance.js'
export { readUploadStates, type UploadStates } from './upload/index.js'
