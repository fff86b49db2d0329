export { messagesWithoutSession, readWithSessions, sessionHomes } from './opencode.js'
export { joinEvents, namesOfEvents } from './openhands.js'
export { storedSession } from './stored-session.js'
