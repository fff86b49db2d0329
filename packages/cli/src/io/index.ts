export { type Claim, claim, type Owner, ownerStatus, thisProcess } from '@svc/bulk'
export { checkpoints } from './checkpoints.js'
export {
  type Ends,
  makeFolder,
  type Parts,
  syncFolder,
  type TemporaryFile,
  type WriteOptions,
} from './disk.js'
export { argumentsOf } from './file-names.js'
export { endSoon, type Io, type Output, type PathKind, realIo, type StopSignal } from './io.js'
export { drained, stoppable } from './stop.js'
