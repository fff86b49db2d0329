export { lastFiles, messagesWithoutSession, readWithSessions, sessionIn, sessionParts } from './opencode.js'
