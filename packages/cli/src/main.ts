import type { Kept } from './compiled/keep.js'
import { type ExitCode, exit } from './exit.js'
import { type Io, realIo, type StopSignal } from './io.js'
import { run } from './run.js'

/** What the command takes from its process. */
export type World = Parameters<typeof realIo>[0] & {
  cwd(): string
  exit(code: ExitCode): never
  onSignal(name: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): void
}

/** Runs the command line of a process, and gives its exit code. */
export const main = (world: World): Promise<ExitCode> =>
  run(world.argv.slice(2), realIo(world, world.cwd(), heedSignals(world)))

/** Keeps what was compiled for the next run. */
export const keepCompiled = async (code: ExitCode, kept: Kept): Promise<void> =>
  (await import('./compiled/keep.js')).keepCompiled(code, kept)

function heedSignals({ onSignal, exit: end }: World): Pick<Io, 'signal' | 'onSignal'> {
  const stop = new AbortController()
  const listeners = new Set<(signal: StopSignal) => void>()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    onSignal(name, () => {
      const signal = name === 'SIGINT' ? 'SIGINT' : 'SIGTERM'
      // Told twice, with nobody in between who is to be told too: end now.
      if (stop.signal.aborted && listeners.size === 0) end(signal === 'SIGINT' ? exit.interrupted : exit.terminated)
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
