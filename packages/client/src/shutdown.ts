import { type Clock, systemClock } from './clock.js'
import { numberFrom, numberOption } from './option-values.js'
import type { CallOptions } from './options.js'

/** The signal of a request, and whether the service may have received it. */
export interface Watched {
  /** The options to pass to the call. */
  options: Pick<CallOptions, 'signal' | 'onEvent'>
  /** True if the service may have acted on it. */
  wasSent(): boolean
}

/** Callbacks of a watched request. */
export interface WatchCalls {
  /** Called before each time that it is sent. With an error that it throws, the request ends instead. */
  sending?(): void
  /** Called when its answer was lost, before the wait for a search. */
  searching?(): void
}

/**
 * The end of work that sends, when the process is stopped: requests that wait to be sent end at once, those under way
 * get some time to be answered.
 */
export interface Shutdown {
  /** Makes a request under watch. */
  watch<Result>(send: (watched: Watched) => Promise<Result>, calls?: WatchCalls): Promise<Result>
  /** Lets go of the signal. */
  end(): void
}

/** Options of `createShutdown`. */
export interface ShutdownOptions {
  /** Its abort begins the shutdown. */
  signal: AbortSignal
  /** The time for requests under way after the abort, in milliseconds. Default 5 000. */
  shutdownTimeoutMs?: number | undefined
  /** Default: the clock of the system. */
  clock?: Pick<Clock, 'after'> | undefined
  /** Called at the abort if requests are under way, with their number. */
  onStop?(underWay: number): void
}

interface Watcher {
  abort: AbortController
  sent: boolean
}

/**
 * Let work that sends end in order after an abort, as of SIGTERM: calls that wait to be sent reject at once with the reason
 * of the signal; requests under way have `shutdownTimeoutMs` to be answered.
 *
 * @example
 * const shutdown = createShutdown({ signal })
 * try {
 *   await shutdown.watch(({ options }) => svc.annotations.create(body, options))
 * } finally {
 *   shutdown.end()
 * }
 */
export function createShutdown({
  signal,
  shutdownTimeoutMs = 5_000,
  clock = systemClock,
  onStop,
}: ShutdownOptions): Shutdown {
  numberOption('shutdownTimeoutMs', numberFrom(0), shutdownTimeoutMs, 'createShutdown')
  const under = new Set<Watcher>()
  let cancel = () => {}
  const stop = () => {
    const { reason } = signal
    for (const { abort, sent } of under) if (!sent) abort.abort(reason)
    const sent = [...under].filter((each) => each.sent).length
    if (sent > 0) onStop?.(sent)
    cancel = clock.after(shutdownTimeoutMs, () => {
      for (const { abort } of under) abort.abort(reason)
    })
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return {
    async watch(send, calls = {}) {
      const abort = new AbortController()
      const each: Watcher = { abort, sent: false }
      const onEvent: CallOptions['onEvent'] = (event) => {
        // Looking for a write that was lost sends nothing that could be stored.
        if (event.method !== 'POST') return
        if (event.type === 'request') {
          try {
            calls.sending?.()
            each.sent = true
          } catch (error) {
            abort.abort(error)
          }
        }
        if (event.type === 'wait' && event.because === 'reconciling') calls.searching?.()
        if (event.type === 'failure' ? event.sent === 'no' : event.type === 'response' && event.status === 429)
          each.sent = false
        if (signal.aborted && !each.sent) abort.abort(signal.reason)
      }
      // Nothing is sent after the stop.
      if (signal.aborted) abort.abort(signal.reason)
      under.add(each)
      try {
        return await send({ options: { signal: abort.signal, onEvent }, wasSent: () => each.sent })
      } finally {
        under.delete(each)
      }
    },
    end() {
      signal.removeEventListener('abort', stop)
      cancel()
    },
  }
}
