import { type ExitCode, exit } from './exit.js'
import type { Io, StopSignal } from './io/index.js'

/** The signals that stop a process, as `Io` shows them. */
export interface Stopping extends Pick<Io, 'signal' | 'onSignal'> {
  /** Let go of input that waits for its writer. */
  end(): void
}

/** The exit code of a run that a signal stopped. */
export const exitOfStop = (signal: StopSignal): ExitCode => (signal === 'SIGINT' ? exit.interrupted : exit.terminated)

/** Listen for the signals. As process 1 of a container, a process gets only those that it listens for. */
export function stopping(host: NodeJS.Process): Stopping {
  const stop = new AbortController()
  const listeners = new Set<(signal: StopSignal) => void>()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    host.on(name, () => {
      const signal = name === 'SIGINT' ? 'SIGINT' : 'SIGTERM'
      // A second signal, and one after the run, ends the process at once, unless a listener passes it on.
      if (stop.signal.aborted && listeners.size === 0) host.exit(exitOfStop(signal))
      stop.abort(signal)
      for (const listener of listeners) listener(signal)
    })
  }
  // Without a listener, the signal opens an inspector, through which code of a policy could set the exit code.
  host.on('SIGUSR1', () => {})
  return {
    signal: stop.signal,
    onSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    end: () => stop.abort('SIGTERM'),
  }
}
