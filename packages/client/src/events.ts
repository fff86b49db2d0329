/** What a call does, as it happens. Never holds a key, a body or the text of a search. */
export type ClientEvent = { operation: string; method: string; url: string } & (
  | { type: 'request'; attempt: number }
  | { type: 'response'; attempt: number; status: number; ms: number; requestId?: string | undefined }
  | { type: 'failure'; attempt: number; cause: string; ms: number; sent: 'no' | 'maybe' }
  | { type: 'wait'; ms: number; because: 'rate_limited' | 'back_off' | 'in_doubt' }
  | { type: 'aborted'; sent: 'no' | 'maybe' }
)

/** The two levels of a console that the client uses. */
export interface Logger {
  debug(message: string): void
  warn(message: string): void
}

/** Writes an event as one readable line: what costs time or may need a look as a warning, the rest as debug. */
export function logged(event: ClientEvent, logger: Logger): void {
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
    case 'aborted':
      return logger.debug(`✗ ${call} aborted (sent: ${event.sent})`)
  }
}

const search = /([?&]q=)[^&]*/

/** A URL as it may be shown: a search is somebody's words, so they are left out. */
export const shownUrl = (url: string): string => url.replace(search, '$1…')
