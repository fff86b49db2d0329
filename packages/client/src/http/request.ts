import { fromCaller } from '../clock.js'
import { connectionInputError, InputError, inputError, type Violation } from '../errors/index.js'
import { isDate, isObject, tagOf, toJsonValue } from '../json.js'
import type { Operation } from '../operation.js'
import { type Settings, sources } from '../options.js'

/** A request that every attempt sends unchanged. */
export interface BuiltRequest {
  url: string
  method: string
  body: string | null
  /** The client has added a stamp to the upload. */
  isStamped: boolean
  /** No other upload can have the stamp: the client has added it, or the caller promises it with the JSON. */
  isNewStamp: boolean
}

export interface RequestInput {
  path?: Record<string, unknown> | undefined
  query?: object | undefined
  /** The body, as `jsonValueOf` copies it. */
  body?: unknown
  /** The body, if it is already JSON. */
  json?: string | undefined
  /** The client has added a stamp to the upload. Default false. */
  isStamped?: boolean
}

/** Throws an InputError for an invalid id or query. */
export function buildRequest(
  { id, method, path: template }: Operation,
  baseUrl: string,
  { path = {}, query = {}, body, json, isStamped = false }: RequestInput,
): BuiltRequest {
  const search = isParams(query)
    ? query.toString()
    : Object.entries(queryOf(query, id))
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join('&')
  const url = `${baseUrl}${pathWithIds(id)(template, path)}${search && `?${search}`}`
  return {
    url,
    method,
    body: json ?? JSON.stringify(body) ?? null,
    isStamped,
    isNewStamp: isStamped || json !== undefined,
  }
}

const isParams = (query: object): query is URLSearchParams => tagOf(query) === 'URLSearchParams'

/** A violation in a message. */
export const shownViolation = ({ pointer, message }: Violation): string => `${pointer || 'the input'}: ${message}`

/** The error of an input with violations, of which the message has the first three. */
export function invalidInput(operation: string, violations: Violation[]): InputError {
  const more = violations.length > 3 ? `; and ${violations.length - 3} more` : ''
  const message = `${operation}: ${violations.slice(0, 3).map(shownViolation).join('; ')}${more}.`
  return new InputError('invalid_input', message, operation, violations)
}

/**
 * Copies a body as `JSON.stringify` writes it: the result of each `toJSON`, which is called once, without undefined fields.
 * Throws an InputError for the first value that JSON would change without a word, such as a Map, NaN or an invalid Date.
 */
export function jsonValueOf(body: unknown, operation: string): unknown {
  const containers: { value: unknown; name: string }[] = []
  const copyIn = (container: object, name: string): unknown => {
    const given = (container as Record<string, unknown>)[name]
    if (typeof given === 'string') return given
    const value = toJsonValue(given, name)
    const isInvalidDate = value === null && isDate(given)
    const isCircle = Object(value) === value && containers.some((each) => each.value === value)
    if (isInvalidDate || isCircle || !isKept(value) || (value === undefined && Array.isArray(container))) {
      const actual = isCircle ? 'a circular reference' : isInvalidDate ? 'an invalid Date' : nameOf(value)
      const steps = [...containers.map((each) => each.name), name].slice(1)
      const pointer = steps.map((step) => `/${step.replace(/~/g, '~0').replace(/\//g, '~1')}`).join('')
      throw invalidInput(operation, [{ pointer, message: `expected a JSON value, got ${actual}`, code: 'not_json' }])
    }
    if (typeof value !== 'object' || value === null) return value
    containers.push({ value, name })
    const copy = Array.isArray(value)
      ? Array.from(value, (_, i) => copyIn(value, String(i)))
      : Object.fromEntries(
          Object.keys(value)
            .map((field) => [field, copyIn(value, field)])
            .filter(([, copied]) => copied !== undefined),
        )
    containers.pop()
    return copy
  }
  return copyIn({ '': body }, '')
}

const isKept = (value: unknown): boolean =>
  typeof value === 'object'
    ? value === null || Array.isArray(value) || isObject(value)
    : typeof value === 'number'
      ? Number.isFinite(value)
      : ['string', 'boolean', 'undefined'].includes(typeof value)

const nameOf = (value: unknown): string => (typeof value === 'number' ? String(value) : tagOf(value))

type Value = string | number | boolean

/** Formats query parameters: a `Date` as ISO 8601; undefined and null are dropped. Throws an InputError for NaN and other objects. */
export function queryOf(query: object, operation: string): Record<string, Value> {
  const sent: Record<string, Value> = {}
  for (const [name, value] of Object.entries<Value | Date | null | undefined>(query as Record<string, Value>)) {
    if (value === undefined || value === null) continue
    const isValid = typeof value === 'object' ? isDate(value) && !Number.isNaN(value.getTime()) : isKept(value)
    if (!isValid) {
      const message = `expected a text, number, boolean or valid Date, got ${nameOf(value)}`
      throw invalidInput(operation, [{ pointer: `/${name}`, message, code: 'wrong_type' }])
    }
    sent[name] = isDate(value) ? value.toISOString() : typeof value === 'string' ? wellFormed(value) : value
  }
  return sent
}

/** Replaces lone surrogates, which cannot be encoded. */
const wellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/gu, '\ufffd')

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
  throw inputError(operation, `expected an id as ${name}, got ${actual}`, 'invalid_id')
}

export interface Authorized {
  headers: Record<string, string>
  key?: string | undefined
}

/**
 * Adds the surface's key to the client's headers as a bearer token; an `authorization` header of the caller replaces it.
 * A key function must answer within the time that the call has left.
 */
export async function authorize(
  { id, surface, key: need }: Pick<Operation, 'id' | 'surface' | 'key'>,
  settings: Settings,
  limit: { deadlineAt: number; signal: AbortSignal | undefined },
): Promise<Authorized> {
  const { authorization, ...headers } = settings.headers
  if (need === 'none') return { headers }
  const { key: given, allowsKey } = settings.surfaces[surface]
  if (!allowsKey && (authorization !== undefined || given !== undefined)) {
    const advice = 'use https, or allowHttp: true'
    throw connectionInputError('invalid_base_url', id, 'would send the key over plain http', advice)
  }
  if (authorization !== undefined) return { headers: settings.headers, key: authorization.replace(/^Bearer /i, '') }
  const failed = (cause: unknown) => inputError(id, 'the key function failed', 'invalid_key', cause)
  const value: unknown =
    typeof given === 'function' ? await fromCaller<unknown>(given, settings.clock, limit, failed) : given
  if (value !== undefined && typeof value !== 'string') {
    throw inputError(id, `expected an API key as a string, got a ${typeof value}`, 'invalid_key')
  }
  const key = value?.trim()
  if (key) {
    if (validKey.test(key)) return { headers: { ...headers, authorization: `Bearer ${key}` }, key }
    throw inputError(id, 'the API key has invalid characters, such as quotes', 'invalid_key')
  }
  if (need === 'optional') return { headers }
  const [option, variable] = sources[surface].key
  throw inputError(id, `needs an API key; pass apiKey or ${option}, or set SVC_API_KEY or ${variable}`, 'missing_key')
}

const validKey = /^[!#-&(-_a-~]+$/
