export { type Candidate, type InputFlags, isInside, splitPaths } from './candidates.js'
export {
  addLoss,
  type Conversation,
  invalidInput,
  labelOf,
  lossTeller,
  lossText,
  originOf,
  placeOfTurn,
  sumOfLosses,
  tellLosses,
} from './conversations.js'
export { filesMatching, isFile, isPattern, refuseStdinTwice, trimmed } from './glob.js'
export { isReportText } from './known-files.js'
export { type LeftOut, leftOutLines } from './left-out.js'
export { matcherOf, patternProblem } from './patterns.js'
export { type Flaw, flawLine, flawsOf, locateTurns, type Violated, violated, violationLines } from './positions.js'
export { conversationsIn, type ReadFlags, type Reading, readConversations, type Told, type Unread } from './reading.js'
export { findInput, findSessionInput, heldOfStream, type Input, type InputReading, type Source } from './sources.js'
export { Spool } from './spool.js'
export { bodyOf, type IdentityFlags, refuseSharedIdentity } from './upload-body.js'
export { guardWrites, refuseUnwritableFile, type WritePlace, writeOut } from './write-guard.js'
