import { InputError } from '../errors/index.js'
import type { Operation } from '../operation.js'

/** A request before it is sent: each attempt sends the same bytes. */
export interface BuiltRequest {
  url: string
  method: string
  /** JSON, or nothing. */
  body: string | null
}

/** The values that a request is built from. */
export interface RequestInput {
  path?: Record<string, unknown> | undefined
  query?: object | undefined
  body?: unknown
  /** The body as JSON, where the caller has it already. */
  json?: string | undefined
}

/**
 * Builds the request of an operation. Throws an InputError for an id or a query that cannot be sent, and what
 * `JSON.stringify` throws.
 */
export function buildRequest(
  { id, method, path: template }: Operation,
  baseUrl: string,
  { path = {}, query = {}, body, json }: RequestInput,
): BuiltRequest {
  const search = Object.entries(queryOf(query, id)).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const url = `${baseUrl}${pathWithIds(id)(template, path)}${search.length > 0 ? `?${search.join('&')}` : ''}`
  return { url, method, body: json ?? JSON.stringify(body) ?? null }
}

type Value = string | number | boolean

/** Query parameters as they are sent: a `Date` as ISO 8601, nothing for what is undefined. */
export function queryOf(query: object, operation: string): Record<string, Value> {
  const sent: Record<string, Value> = {}
  for (const [name, value] of Object.entries<Value | Date | null | undefined>(query as Record<string, Value>)) {
    if (value === undefined || value === null) continue
    if (value instanceof Date && Number.isNaN(value.getTime())) {
      const violation = { pointer: `/${name}`, message: 'expected a valid date' }
      throw new InputError('invalid_input', `${operation}: ${name} is an invalid Date.`, operation, [violation])
    }
    sent[name] = value instanceof Date ? value.toISOString() : typeof value === 'string' ? wellFormed(value) : value
  }
  return sent
}

/** Half a surrogate pair has no encoding; it is sent as the replacement character. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/**
 * Fills the ids of a path in, percent-encoded. Refuses an empty id, which would list instead of read, `.` and `..`, which
 * would climb to another resource, and an id that is no text.
 */
export const pathWithIds =
  (operation: string) =>
  (template: string, ids: Record<string, unknown>): string =>
    template.replace(/\{(\w+)\}/g, (_, name: string) => encodedId(ids[name], name, operation))

function encodedId(id: unknown, name: string, operation: string): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') {
    try {
      return encodeURIComponent(id)
    } catch {
      // Half a surrogate pair has no encoding.
    }
  }
  const came = typeof id === 'string' ? JSON.stringify(id) : typeof id
  throw new InputError('invalid_id', `${operation}: expected an id as ${name}, got ${came}.`, operation)
}
