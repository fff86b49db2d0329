export { type JournalAnswer, type JournalEntry, journalEntry, type RequestProblem, requestLine } from './entry.js'
export { createJournal, type Journal, type JournalPart } from './journal.js'
