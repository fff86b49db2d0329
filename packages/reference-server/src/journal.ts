import { bearer, redact } from './auth.js'
import type { Fault } from './faults/index.js'
import type { IncomingRequest } from './http-messages.js'
import type { Surface } from './types.js'

/** One answered request. Keys are redacted, but not in the body. */
export interface JournalEntry {
  /** The method as sent, HEAD and OPTIONS included. */
  method: string
  /** The surface whose base URL matches; `annotation` if none does. */
  surface: Surface
  /** The path below the base URL of its surface, with the query, as sent except for keys in it. */
  path: string
  /** The operation's id, such as `projects.create`; null if no operation matches. */
  operation: string | null
  /**
   * The status of the response, also if a fault kept it back. 0 if a fault ended the request before its operation, 499 if the
   * client closed it before the response.
   */
  status: number
  /** The kinds of the faults that applied to the request, such as `reset-before`, in the order of their rules. */
  faults: readonly Fault['kind'][]
  /** The JSON body as sent, up to 64 KiB; undefined for any other body, and for one that was not read. */
  body?: unknown
  /** The prefix and the last four characters; null without a key. */
  key: string | null
  /** Milliseconds since the epoch. */
  at: number
}

/** The largest body that the journal keeps, in bytes. */
export const maxJournalBody = 64 * 1024

/** Create the entry of a request that is not routed yet. */
export function journalEntry(request: IncomingRequest, at: number): JournalEntry {
  const { method, surface, path, query } = request
  const key = bearer(request.header('authorization'))
  return {
    method,
    surface,
    path: redactKeys(query === '' ? path : `${path}?${query}`, key),
    operation: null,
    status: 0,
    faults: [],
    key: key === undefined ? null : redact(key),
    at,
  }
}

function redactKeys(url: string, key = ''): string {
  const redacted = url.replace(/sk-(?:service|legacy)-api03-[\w.~%+-]+/gi, redact)
  // A shorter key may be an ordinary word of the path.
  if (key.length < 8) return redacted
  return [key, encodeURIComponent(key)].reduce((text, form) => text.replaceAll(form, redact), redacted)
}
