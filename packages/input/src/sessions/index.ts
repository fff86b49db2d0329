export { type Session, type Tool, tools } from './session-file.js'
export { inputOf, type Moment, type SessionFlags, type SourceFlags, selectSessions } from './sessions.js'
