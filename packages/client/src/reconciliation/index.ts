export { type Content, contentMatch, instantOf, type Match, type Stored } from './match.js'
export { type Lookup, writeOnce } from './reconcile.js'
export { type FoundWrite, type LostWrite, type SearchedList, type SearchOptions, searchWrites } from './search.js'
export { type ShownStamp, type Stamp, stampOf, stampUpload } from './stamp.js'
