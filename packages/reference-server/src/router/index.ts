export { routeTable } from './route-table.js'
export { createRouter, faultHeader, type JournalEntry } from './router.js'
