import type { CallOptions, Clock } from '@svc/client'
import { count } from '@svc/text'
import type { Context } from '../../cli/src/context.js'

/** The signal of a request, and whether the service may have received it. */
export interface Watched {
  options: Pick<CallOptions, 'signal' | 'onEvent'>
  /** True if the service may have acted on it. */
  wasSent(): boolean
}

/** Callbacks of a watched request. */
export interface WatchCalls {
  /** Called before each time that it is sent. */
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

/** The time for an open request after a signal, in milliseconds. */
const graceMs = 5_000

interface Watcher {
  abort: AbortController
  sent: boolean
}

function watch(stop: AbortSignal, calls: WatchCalls): Watcher & { watched: Watched } {
  const abort = new AbortController()
  const onEvent: CallOptions['onEvent'] = (event) => {
    // Looking for a write that was lost sends nothing that could be stored.
    if (event.method !== 'POST') return
    if (event.type === 'request') {
      calls.sending?.()
      each.sent = true
    }
    if (event.type === 'wait' && event.because === 'in_doubt') calls.searching?.()
    if (event.type === 'response' && event.status === 429) each.sent = false
    else if (event.type === 'failure' && event.sent === 'no') each.sent = false
    if (stop.aborted && !each.sent) abort.abort(stop.reason)
  }
  const watched = { options: { signal: abort.signal, onEvent }, wasSent: () => each.sent }
  const each = { abort, sent: false, watched }
  return each
}

export function createShutdown({ io, say }: Pick<Context, 'io' | 'say'>, clock: Clock): Shutdown {
  const under = new Set<Watcher>()
  let cancel = () => {}
  const stop = () => {
    const { reason } = io.signal
    for (const { abort, sent } of under) if (!sent) abort.abort(reason)
    const sent = [...under].filter((each) => each.sent).length
    if (sent > 0) say(`stopping: ${count(sent, 'request')} under way; a second time ends at once`)
    cancel = clock.after(graceMs, () => {
      for (const { abort } of under) abort.abort(reason)
    })
  }
  if (io.signal.aborted) stop()
  else io.signal.addEventListener('abort', stop, { once: true })
  return {
    async watch(send, calls = {}) {
      const each = watch(io.signal, calls)
      under.add(each)
      try {
        return await send(each.watched)
      } finally {
        under.delete(each)
      }
    },
    end() {
      io.signal.removeEventListener('abort', stop)
      cancel()
    },
  }
}
