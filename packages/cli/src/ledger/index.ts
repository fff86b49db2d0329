export { fold, type Intent, type Item, isInDoubt, statusOf } from './events.js'
export { cannotRead, noFolder } from './failure.js'
export { emptiedFiles, ledgerFolder, nameOf, stemIn, stemOf } from './files.js'
export {
  contentHash,
  type Identity,
  identities,
  keyOf,
  normalTarget,
  shardFor,
  stampOf,
  type Target,
  wordsHash,
} from './identity.js'
export { type Ledger, openLedger } from './ledger.js'
export { lock } from './lock.js'
export { rebuild, reconcile, type Settled, usualTimeoutMs } from './reconcile.js'
export { type OpenItem, peek, type Standing } from './standings.js'
export { type Book, historyOf, survey } from './survey.js'
