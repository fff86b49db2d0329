export { instantOf, type Match, mayBeShownAs, type Stored } from './match.js'
export { type Reconciliation, reconciliation, type WrittenRecord } from './reconcile.js'
export { type FoundWrite, type LostWrite, type SearchedList, type SearchOptions, searchWrites } from './search.js'
export { type ShownStamp, type Stamp, stampOf, stampUpload } from './stamp.js'
