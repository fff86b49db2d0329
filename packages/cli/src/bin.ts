import { realIo } from './io.js'
import { run } from './run.js'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort(signal))
// A reader such as `head` may leave before the end; that is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
process.exitCode = await run(process.argv.slice(2), realIo(process, stop.signal, process.cwd()))
