import { exit } from './exit.js'
import { realIo, type StopSignal } from './io.js'
import { run } from './run.js'

const stop = new AbortController()
const listeners = new Set<(signal: StopSignal) => void>()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    const signal = name === 'SIGINT' ? 'SIGINT' : 'SIGTERM'
    // Told twice, with nobody in between who is to be told too: end now.
    if (stop.signal.aborted && listeners.size === 0)
      process.exit(signal === 'SIGINT' ? exit.interrupted : exit.terminated)
    stop.abort(signal)
    for (const listener of listeners) listener(signal)
  })
}
const onSignal = (listener: (signal: StopSignal) => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` may leave before the end; that is no error.
    if (error.code === 'EPIPE') return
    if (stream === process.stdout) process.stderr.write(`svc: the output cannot be written (${error.code}).\n`)
    process.exitCode = exit.bug
  })
}

const code = await run(process.argv.slice(2), realIo(process, process.cwd(), { signal: stop.signal, onSignal }))
process.exitCode ??= code
