import { bearer, redact } from './auth.js'
import type { IncomingRequest } from './http-messages.js'
import type { Surface } from './types.js'

/** One answered request. Keys are redacted; bodies are not kept. */
export interface JournalEntry {
  /** The method as sent, HEAD and OPTIONS included. */
  method: string
  /** The surface whose base URL matches; `annotation` if none does. */
  surface: Surface
  /** The path below the base URL of its surface, with the query, as sent except for keys in it. */
  path: string
  /** The operation's id, such as `projects.create`; null if no operation matches. */
  operation: string | null
  /** 499 if the client closed the request before the response. */
  status: number
  /** The prefix and the last four characters; null without a key. */
  key: string | null
  /** Milliseconds since the epoch. */
  at: number
}

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
