export { answered, type JournalEntry, journalEntry, maxJournalBody } from './entry.js'
export { BoundedJournal, type Journal } from './journal.js'
