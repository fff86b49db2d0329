import { diagnosticsChannel } from './environment.js'
import type { Operation } from './operation.js'

/**
 * An event of a call: the method (`operation`), HTTP `method`, `url` and the fields of its `type`. Contains no key, body
 * or search text. In Node, `node:diagnostics_channel` publishes the same events on the channel `svc.client`.
 */
export type ClientEvent = RequestName & CallEvent

/**
 * `request` before an attempt (1-indexed), then `response` with any status or `failure` (`cause` as in Attempt); `wait`
 * before a pause of `ms` milliseconds; `warning` for input that a stricter service may refuse; `aborted` by the caller.
 */
export type CallEvent =
  | { type: 'request'; attempt: number }
  | { type: 'response'; attempt: number; status: number; ms: number; requestId?: string | undefined }
  | { type: 'failure'; attempt: number; cause: string; ms: number; sent: 'no' | 'maybe' }
  | { type: 'wait'; ms: number; because: 'rate_limited' | 'back_off' | 'reconciling' }
  | { type: 'warning'; message: string }
  | { type: 'aborted'; sent: 'no' | 'maybe' }

/** Receives one line of text for each event, such as `console`. Errors that it throws are ignored. */
export interface Logger {
  /** Requests, answers and aborts. */
  debug(message: string): void
  /** Failed attempts, waits and warnings. */
  warn(message: string): void
}

/** `off` logs nothing, `warn` failed attempts, waits and warnings, `debug` also requests, answers and aborts. */
export type LogLevel = 'off' | 'warn' | 'debug'
export const logLevels: readonly LogLevel[] = ['off', 'warn', 'debug']

/** Writes to standard error in Node, where `console.debug` would write to standard output. */
const warn = (message: string) => console.warn(message)
const consoleLogger: Logger = { debug: warn, warn }

export interface ListenerOptions {
  onEvent?: ((event: ClientEvent) => void) | undefined
  logger?: Logger | undefined
  logLevel?: LogLevel | undefined
}

type OnEvent = (event: ClientEvent) => unknown

/** The listeners of a client, in the order in which they are called; the channel comes last. */
export interface Listeners {
  all: readonly OnEvent[]
  channel: ReturnType<typeof diagnosticsChannel>
}

export const channelName = 'svc.client'

export function listenersOf({ onEvent, logger, logLevel = logger ? 'debug' : 'off' }: ListenerOptions): Listeners {
  const { debug, warn } = logger ?? consoleLogger
  const shown: Logger = { debug: logLevel === 'debug' ? debug.bind(logger) : () => {}, warn: warn.bind(logger) }
  const logging = logLevel === 'off' ? undefined : (event: ClientEvent) => log(event, shown)
  return { all: [onEvent, logging].filter((each) => each !== undefined), channel: diagnosticsChannel(channelName) }
}

export const withListener = ({ all, channel }: Listeners, onEvent: OnEvent): Listeners => ({
  all: [...all, onEvent],
  channel,
})

/** A request as events, hooks and errors name it. */
export interface RequestName {
  operation: string
  method: string
  /** Without the search text. */
  url: string
}

export const nameOfRequest = (
  { id }: Pick<Operation, 'id'>,
  { method, url }: Omit<RequestName, 'operation'>,
): RequestName => ({
  operation: id,
  method,
  url: shownUrl(url),
})

/** Gives a function that emits the events of a call; undefined without listeners. Errors of listeners are ignored. */
export function emitterOf({ all, channel }: Listeners, request: RequestName): ((event: CallEvent) => void) | undefined {
  if (all.length === 0 && !channel?.hasSubscribers) return undefined
  return (given) => {
    const event = Object.assign(given, request)
    for (const listener of all) {
      try {
        const result = listener(event) as Promise<unknown> | undefined
        result?.catch?.(() => {})
      } catch {
        // An error of the listener is not one of the call.
      }
    }
    channel?.publish(event)
  }
}

function log(event: ClientEvent, logger: Logger): void {
  const call = `${event.operation} ${event.method} ${event.url}`
  const time = 'ms' in event && `${Math.round(event.ms)} ms`
  switch (event.type) {
    case 'request':
      return logger.debug(`→ ${call} (attempt ${event.attempt})`)
    case 'response':
      return logger.debug(`← ${call} ${event.status} in ${time}`)
    case 'failure':
      return logger.warn(`✗ ${call} ${event.cause} after ${time} (sent: ${event.sent})`)
    case 'wait':
      return logger.warn(`… ${call} waits ${time} (${event.because})`)
    case 'warning':
      return logger.warn(`! ${call} ${event.message}`)
    case 'aborted':
      return logger.debug(`✗ ${call} aborted (sent: ${event.sent})`)
  }
}

const search = /([?&]q=)[^&]*/

/** Removes the search text from a URL, because it may be transcript text. */
export const shownUrl = (url: string): string => url.replace(search, '$1…')
