export { type Candidate, type InputFlags, isInside, splitPaths } from './candidates.js'
export {
  addLoss,
  bodyOf,
  type Conversation,
  type Diagnostic,
  diagnosticLine,
  diagnosticsOf,
  type IdentityFlags,
  invalidInput,
  type LocatedViolation,
  labelOf,
  locateTurnsInTime,
  locateViolation,
  lossReporter,
  lossText,
  originOf,
  placeOfTurn,
  refuseSharedIdentity,
  reportLosses,
  sumOfLosses,
  violationLines,
} from './conversations.js'
export { filesMatching, isFile, isPattern, refuseStdinTwice, trimmed } from './glob.js'
export { isReportText } from './known-files.js'
export {
  conversationsIn,
  type ReadFlags,
  type Reading,
  type ReadReport,
  readConversations,
  type Unread,
} from './reading.js'
export {
  addCounts,
  asViolations,
  type GuardFlags,
  guard,
  ownKeys,
  type RedactName,
  redactionLine,
  redactKinds,
  refuseSecrets,
  secretsHint,
} from './secrets.js'
export {
  inputOf,
  type Moment,
  type Session,
  type SessionFlags,
  type SourceFlags,
  selectSessions,
  type Tool,
  tools,
} from './sessions/index.js'
export { type Skipped, skippedLines } from './skipped.js'
export {
  findInput,
  findSessionInput,
  type Input,
  type InputReading,
  type Source,
  streamBufferBytes,
} from './sources.js'
export { Spool } from './spool.js'
export { guardWrites, refuseUnwritableFile, type WritePlace, writeOut } from './write-guard.js'
