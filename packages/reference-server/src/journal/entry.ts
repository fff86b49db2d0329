import { escapeLine } from '@svc/text'
import { type KeyRecord, redact } from '../auth.js'
import type { Fault } from '../faults/index.js'
import type { DeliveryFault, IncomingRequest } from '../http-messages.js'
import type { Surface } from '../types.js'

/** A way in which a request departs from the description of the interface. */
export interface RequestProblem {
  /** The part of the request. */
  in: 'path' | 'query' | 'header' | 'body'
  /** The name of the parameter or header, or the JSON pointer in the body; empty for the part as a whole. */
  name: string
  /** The expectation, with the nearest name for one that does not exist. Never a value of the request. */
  problem: string
}

/** The answer to a request, although a fault may have kept it back. */
export interface JournalAnswer {
  /** The headers by their lower-case names, without those that the HTTP server adds. */
  headers: Readonly<Record<string, string>>
  /** The body as text; undefined for one that the journal dropped. */
  body?: string
}

/** One answered request, as JSON. Keys are redacted, but not in the bodies. */
export interface JournalEntry {
  /** Counts the requests of the server from 1. */
  id: number
  /** The edge that took it: `fetch`, also for the MSW handlers, or `http` of a listening server. */
  edge: 'fetch' | 'http'
  /** The method as sent, HEAD and OPTIONS included. */
  method: string
  /** The surface whose base URL matches; `annotation` if none does. */
  surface: Surface
  /** The path below the base URL of its surface, with the query, as sent except for keys in it. */
  path: string
  /** The decoded query; a name that was sent several times has a list. */
  query: Readonly<Record<string, string | readonly string[]>>
  /** The headers by their lower-case names; of credentials only the scheme and the redacted key. */
  headers: Readonly<Record<string, string>>
  /** The operation's id, such as `projects.create`; null if no operation matches. */
  operation: string | null
  /**
   * The status of the response, also if a fault kept it back. 0 if a fault ended the request before its operation, 499 if the
   * client closed it before the response.
   */
  status: number
  /** The kinds of the faults that applied to the request, such as `reset-before`, in the order of their rules. */
  faults: readonly Fault['kind'][]
  /** True if the operation ran: what it stored is there, although a fault may have kept the response back. */
  ran: boolean
  /** How the response went out: `whole`, or what a fault did to it, such as `close` for one that was lost. */
  delivery: 'whole' | DeliveryFault['kind']
  /** The body as sent: the value of JSON, the text of any other; undefined for one that was not read, and for a dropped one. */
  body?: unknown
  /** The size of the body in bytes; undefined for one that was not read. */
  bodyBytes?: number
  /** True if the journal dropped the bodies of the request and of its answer, to stay within `journalBytes`. */
  bodiesDropped?: true
  /** The answer; its status is `status`. */
  answer: JournalAnswer
  /** The departures from the description of the interface, also those that the service would accept; undefined without any. */
  problems?: readonly RequestProblem[]
  /** True if the operation takes a body that was not read, such as one after a missing key: its problems are not known. */
  isUnchecked?: true
  /** The prefix and the last four characters; null without a key. */
  key: string | null
  /** The name of the key; undefined for a key without one, and for an unknown key. */
  keyName?: string
  /** The workspace of the key; null for a request without a known key. */
  workspace: string | null
  /** The error of the server, or of a function given to it, behind a 500: its name and message. */
  error?: string
  /** Milliseconds since the epoch. */
  at: number
  /** From the request to its response, in milliseconds of the server's clock. */
  durationMs: number
}

/** Create the entry of a request that is not routed yet. */
export function journalEntry(
  request: IncomingRequest,
  at: number,
  key: string | undefined,
  keyRecord: KeyRecord | undefined,
): JournalEntry {
  const { edge, method, surface, path, query } = request
  return {
    // The journal counts it once it is answered.
    id: 0,
    edge,
    method,
    surface,
    path: redactKeys(query === '' ? path : `${path}?${query}`, key),
    query: queryOf(query, key),
    headers: headersOf(request, key),
    operation: null,
    status: 0,
    faults: [],
    ran: false,
    delivery: 'whole',
    answer: { headers: {} },
    key: key === undefined ? null : redact(key),
    ...(keyRecord?.name !== undefined && { keyName: keyRecord.name }),
    workspace: keyRecord?.workspace ?? null,
    at,
    durationMs: 0,
  }
}

function queryOf(query: string, key: string | undefined): JournalEntry['query'] {
  const parameters = new Map<string, string | string[]>()
  if (query === '') return {}
  for (const [name, value] of new URLSearchParams(query)) {
    const text = redactKeys(value, key)
    const earlier = parameters.get(name)
    parameters.set(name, earlier === undefined ? text : [earlier, text].flat())
  }
  return Object.fromEntries(parameters)
}

const credentials = new Set(['authorization', 'proxy-authorization', 'cookie', 'x-api-key'])

function headersOf(request: IncomingRequest, key: string | undefined): JournalEntry['headers'] {
  const headers = request.headers()
  for (const [name, value] of Object.entries(headers))
    headers[name] = credentials.has(name) ? withoutCredentials(value) : redactKeys(value, key)
  return headers
}

/** The scheme with the redacted key; nothing of a cookie. */
function withoutCredentials(value: string): string {
  const [, scheme = '', secret = ''] = /^([\w-]+) (.*)$/s.exec(value) ?? []
  return scheme === '' ? '…' : `${scheme} ${redact(secret.trim())}`
}

/** The shortest key with a prefix that is redacted wherever it stands. */
const minKeyLength = 'sk-legacy-api03-x'.length

function redactKeys(text: string, key = ''): string {
  // Most headers are shorter than any key.
  const redacted = text.length < minKeyLength ? text : text.replace(/sk-(?:service|legacy)-api03-[\w.~%+-]+/gi, redact)
  // A shorter key may be an ordinary word of the path.
  if (key.length < 8 || text.length < key.length) return redacted
  return [key, encodeURIComponent(key)].reduce((result, form) => result.replaceAll(form, redact), redacted)
}

/** A request on one line, for a log: `-` for a status that a fault kept back and for a missing key; then the faults. */
export const requestLine = ({ method, surface, path, status, key, faults }: JournalEntry): string =>
  escapeLine([status || '-', method, surface, path, key ?? '-', ...faults].join(' '))
