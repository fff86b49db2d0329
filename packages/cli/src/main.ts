import { exit } from './exit.js'
import { type Io, realIo, type StopSignal } from './io/index.js'
import { run } from './run.js'

/** Run the command line of a process and set its exit code. */
export async function main(host: NodeJS.Process): Promise<void> {
  const code = await run(host.argv.slice(2), realIo(host, cwdOf(host), stopping(host)))
  // An output that could not be written has set it already.
  host.exitCode ??= code
}

/** The working directory may have been removed; a path in it then fails where it is opened. */
function cwdOf(host: NodeJS.Process): string {
  try {
    return host.cwd()
  } catch {
    return host.env.PWD || '/'
  }
}

function stopping(host: NodeJS.Process): Pick<Io, 'signal' | 'onSignal'> {
  const stop = new AbortController()
  const listeners = new Set<(signal: StopSignal) => void>()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    host.on(name, () => {
      const signal = name === 'SIGINT' ? 'SIGINT' : 'SIGTERM'
      // A second signal ends the process at once, unless a listener passes it on.
      if (stop.signal.aborted && listeners.size === 0)
        host.exit(signal === 'SIGINT' ? exit.interrupted : exit.terminated)
      stop.abort(signal)
      for (const listener of listeners) listener(signal)
    })
  }
  return {
    signal: stop.signal,
    onSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
