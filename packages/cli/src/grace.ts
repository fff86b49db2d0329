import type { CallOptions, Clock } from '@svc/client'
import type { Context } from './context.js'
import { count } from './text.js'

/** What a request is made with so that it ends in good order, and whether the service may have it. */
export interface Watched {
  options: Pick<CallOptions, 'signal' | 'onEvent'>
  /** Whether the service may have acted on it. */
  wasSent(): boolean
}

/**
 * The end of work that sends, when the process is told to stop: requests that wait to be sent end at once, those under way
 * get some time to be answered.
 */
export interface Grace {
  /** Makes a request under watch; `sending` is called before each time that it is sent. */
  watch<Result>(send: (watched: Watched) => Promise<Result>, sending?: () => void): Promise<Result>
  /** Lets go of the signal. */
  end(): void
}

/** What a request under way is given, in milliseconds. */
const graceMs = 5_000

export function createGrace({ io, say }: Pick<Context, 'io' | 'say'>, clock: Clock): Grace {
  const under = new Set<{ abort: AbortController; sent: boolean }>()
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
    async watch(send, sending) {
      const each = { abort: new AbortController(), sent: false }
      const onEvent: CallOptions['onEvent'] = (event) => {
        // Looking for a write that was lost sends nothing that could be stored.
        if (event.method !== 'POST') return
        if (event.type === 'request') {
          sending?.()
          each.sent = true
        }
        if (event.type === 'response' && event.status === 429) each.sent = false
        else if (event.type === 'failure' && event.sent === 'no') each.sent = false
        if (io.signal.aborted && !each.sent) each.abort.abort(io.signal.reason)
      }
      under.add(each)
      try {
        return await send({ options: { signal: each.abort.signal, onEvent }, wasSent: () => each.sent })
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
