export {
  lastFiles,
  messagesWithoutSession,
  readWithSessions,
  sessionHomes,
  sessionIn,
  sessionParts,
} from './opencode.js'
