export { messagesWithoutSession, readWithSessions, sessionHomes } from './opencode.js'
export { filesOfConversation, joinEvents } from './openhands.js'
export type { StoredSession } from './stored-files.js'
export { storedSession } from './stored-session.js'
