export { messagesWithoutSession, readWithSessions, sessionIn, sessionParts } from './opencode.js'
