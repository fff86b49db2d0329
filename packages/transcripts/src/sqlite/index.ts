/**
 * Sessions that programs keep in SQLite, read from a disk while the programs run.
 *
 * @module @svc/transcripts/sqlite
 */

export { ContainerError } from '../container-limits.js'
export type { SessionFacts } from './products.js'
export { type SqliteSession, sqliteSessions } from './sessions.js'
