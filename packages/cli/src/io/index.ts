export { type Ends, makeFolder, type Parts, type TemporaryFile, type WriteOptions } from './disk.js'
export { argumentsOf } from './file-names.js'
export { type Io, type Output, type PathKind, realIo, type StopSignal } from './io.js'
