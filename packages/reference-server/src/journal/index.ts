export { type JournalAnswer, type JournalEntry, journalEntry, type RequestProblem, requestLine } from './entry.js'
export { createJournal, type Journal, type JournalPart, type Recorder } from './journal.js'
