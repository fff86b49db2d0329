import { InputError } from '../errors/index.js'
import type { Operation } from '../operation.js'

/** A request that every attempt sends unchanged. */
export interface BuiltRequest {
  url: string
  method: string
  body: string | null
}

export interface RequestInput {
  path?: Record<string, unknown> | undefined
  query?: object | undefined
  body?: unknown
  /** The body, if it is already JSON. */
  json?: string | undefined
}

/** Throws an InputError for an invalid id or query, and the errors of `JSON.stringify`. */
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

/** Formats query parameters: a `Date` as ISO 8601; undefined and null are dropped. */
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

/** Replaces lone surrogates, which cannot be encoded. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** Fills in percent-encoded ids. Throws an InputError for ids that would address another resource: empty, `.`, `..`. */
export const pathWithIds =
  (operation: string) =>
  (template: string, ids: Record<string, unknown>): string =>
    template.replace(/\{(\w+)\}/g, (_, name: string) => encodedId(ids[name], name, operation))

function encodedId(id: unknown, name: string, operation: string): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') {
    try {
      return encodeURIComponent(id)
    } catch {
      // A lone surrogate cannot be encoded.
    }
  }
  const actual = typeof id === 'string' ? JSON.stringify(id) : typeof id
  throw new InputError('invalid_id', `${operation}: expected an id as ${name}, got ${actual}.`, operation)
}
