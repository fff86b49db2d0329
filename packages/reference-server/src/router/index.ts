export { createAnswerer, faultHeader, type JournalEntry } from './answerer.js'
export { routeTable } from './table.js'
