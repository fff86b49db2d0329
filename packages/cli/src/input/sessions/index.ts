export { endedSessions, type FollowFlags } from './follow.js'
export type { Session } from './session-file.js'
export { inputOf, type Moment, type SessionFlags, type SourceFlags, selectSessions } from './sessions.js'
export { sessionFolders, type Tool, tools } from './tools.js'
