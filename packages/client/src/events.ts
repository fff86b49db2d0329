import { diagnosticsChannel } from './environment.js'

/**
 * What a call does, as it happens: its verb (`operation`), `method` and `url`, and by `type` what happened. `attempt`
 * is 1-indexed, `ms` is milliseconds. Never holds a key, a body or the text of a search. In Node the channel
 * `svc.client` of `node:diagnostics_channel` carries the same.
 */
export type ClientEvent = { operation: string; method: string; url: string } & CallEvent

/**
 * What may happen in a call: `request` before an attempt, then `response` (whatever its status) or `failure` (`cause`
 * as in Attempt); `wait` before a pause of `ms`; `warning` of what a stricter service may refuse; `aborted` by the
 * caller, and whether the server can have acted by then.
 */
export type CallEvent =
  | { type: 'request'; attempt: number }
  | { type: 'response'; attempt: number; status: number; ms: number; requestId?: string | undefined }
  | { type: 'failure'; attempt: number; cause: string; ms: number; sent: 'no' | 'maybe' }
  | { type: 'wait'; ms: number; because: 'rate_limited' | 'back_off' | 'in_doubt' }
  | { type: 'warning'; message: string }
  | { type: 'aborted'; sent: 'no' | 'maybe' }

/**
 * The two levels of a console that the client uses, one line of text for each event; what they throw is no part of a
 * call.
 */
export interface Logger {
  /** Told of requests, answers and aborts. */
  debug(message: string): void
  /** Told of failed attempts, waits and warnings. */
  warn(message: string): void
}

/** Those who want to be told. */
export interface ListenerOptions {
  onEvent?: ((event: ClientEvent) => void) | undefined
  logger?: Logger | undefined
}

type OnEvent = (event: ClientEvent) => unknown

/** Those who are told of the calls of a client, in this order; the channel comes last. */
export interface Listeners {
  all: readonly OnEvent[]
  channel: ReturnType<typeof diagnosticsChannel>
}

/** The name of the channel of Node's `diagnostics_channel` to which every client publishes its events. */
export const channelName = 'svc.client'

/** The caller's listeners, and those of the channel. */
export const listenersOf = ({ onEvent, logger }: ListenerOptions): Listeners => ({
  all: [onEvent, logger && ((event: ClientEvent) => log(event, logger))].filter((each) => each !== undefined),
  channel: diagnosticsChannel(channelName),
})

/** The same, and the one who made the call. */
export const withListener = ({ all, channel }: Listeners, onEvent: OnEvent): Listeners => ({
  all: [...all, onEvent],
  channel,
})

/** The teller of a call's events; nothing while nobody listens. What listeners do, failing included, is no part of it. */
export function emitterOf(
  { all, channel }: Listeners,
  operation: string,
  { method = '', url = '' }: { method?: string | undefined; url?: string | undefined },
): ((event: CallEvent) => void) | undefined {
  if (all.length === 0 && !channel?.hasSubscribers) return undefined
  const call = { operation, method, url: shownUrl(url) }
  return (given) => {
    const event = Object.assign(given, call)
    for (const tell of all) {
      try {
        // A promise for each event of many calls would cost more than the events.
        const told = tell(event) as Promise<unknown> | undefined
        told?.catch?.(() => {})
      } catch {
        // Its own trouble.
      }
    }
    channel?.publish(event)
  }
}

/** Writes an event as one readable line: what costs time or may need a look as a warning, the rest as debug. */
function log(event: ClientEvent, logger: Logger): void {
  const call = `${event.operation} ${event.method} ${event.url}`
  switch (event.type) {
    case 'request':
      return logger.debug(`→ ${call} (attempt ${event.attempt})`)
    case 'response':
      return logger.debug(`← ${call} ${event.status} in ${Math.round(event.ms)} ms`)
    case 'failure':
      return logger.warn(`✗ ${call} ${event.cause} after ${Math.round(event.ms)} ms (sent: ${event.sent})`)
    case 'wait':
      return logger.warn(`… ${call} waits ${Math.round(event.ms)} ms (${event.because})`)
    case 'warning':
      return logger.warn(`! ${call} ${event.message}`)
    case 'aborted':
      return logger.debug(`✗ ${call} aborted (sent: ${event.sent})`)
  }
}

const search = /([?&]q=)[^&]*/

/** A URL as it may be shown: a search is somebody's words, so they are left out. */
export const shownUrl = (url: string): string => (url.includes('?') ? url.replace(search, '$1…') : url)
