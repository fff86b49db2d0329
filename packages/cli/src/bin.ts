import { stopping } from './stopping.js'
import { version } from './version.js'

// Before the command is loaded, which takes most of the start.
const signals = stopping(process)

/** A reader such as `head` may leave before the end; that is no error, and no reason to stop. */
const gone = new Set(['EPIPE', 'ERR_STREAM_DESTROYED'])

let hasFailed = false
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (gone.has(error.code ?? '')) return
    if (stream === process.stdout && !hasFailed) process.stderr.write(`svc: cannot write the output (${error.code}).\n`)
    hasFailed = true
    process.exitCode = 1
  })
}

// A policy in code may log; standard output is for data.
globalThis.console = new console.Console(process.stderr, process.stderr)

const [word, ...more] = process.argv.slice(2)
// Scripts ask for the version often, and it needs nothing else.
if (more.length === 0 && (word === '--version' || word === '-V')) process.stdout.write(`${version}\n`)
else await (await import('./run.js')).main(process, signals)
