export type { Moment } from './find.js'
export type { Session } from './head.js'
export { type Tool, tools } from './head.js'
export { inputOf, type SessionFlags, type SourceFlags, selectSessions } from './input.js'
