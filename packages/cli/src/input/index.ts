export * from './conversations.js'
export {
  addCounts,
  asViolations,
  type GuardFlags,
  guard,
  ownKeys,
  redacted,
  redactionLine,
  redactKinds,
  refuseSecrets,
  secretsHint,
} from './credentials.js'
export type { Ends, InputFiles } from './files.js'
export { type Candidate, type ListedFiles, splitPaths } from './find.js'
export type { InputProblem, InputProblemCode } from './input-problem.js'
export { isReportText } from './known-files.js'
export { pathsOutside } from './outside.js'
export { filesAt, refuseStdinTwice } from './patterns.js'
export * from './read.js'
export * from './sessions/index.js'
export { notedLines, type Skipped, skippedLines } from './skipped.js'
export { findInput, type Input, type Source, streamBufferBytes } from './sources.js'
export { guardWrites, type WritePlace } from './write-guard.js'
