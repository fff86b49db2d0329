export { type ExitCode, exit } from './exit.js'
export { type Io, type Output, realIo } from './io.js'
export { buildProgram } from './program.js'
export { run } from './run.js'
