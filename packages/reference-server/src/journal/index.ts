export { answered, type JournalEntry, journalEntry, maxJournalBody, type RequestProblem, requestLine } from './entry.js'
export { BoundedJournal, type Journal, type JournalPart } from './journal.js'
