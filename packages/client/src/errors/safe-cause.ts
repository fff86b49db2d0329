import { SvcError } from './errors.js'

type Fields = Record<string, unknown>

/**
 * A copy of a transport's error with known fields only: other fields and most messages may hold the key or transcript text,
 * such as the raw bytes of an answer that could not be parsed. Returns this package's errors unchanged.
 */
export function safeCause(error: unknown, depth = 0): unknown {
  if (error instanceof SvcError) return error
  if (typeof error !== 'object' || !error || depth > 4) return undefined
  const given = error as Fields
  const safe: Fields = {}
  for (const [field, pattern] of safeFields) {
    const value = given[field]
    if (/^[sn]/.test(typeof value) && pattern.test(String(value))) safe[field] = value
  }
  const { code, syscall, address, port, proxy, name = 'Error' } = safe
  const message = code
    ? [syscall, code, address && `${address}:${port}`, proxy].filter(Boolean).join(' ')
    : safeMessage.exec(String(given.message))?.[0] || 'message not shown'
  const nested = (each: unknown) => safeCause(each, depth + 1)
  if (given.cause) safe.cause = nested(given.cause)
  if (Array.isArray(given.errors)) safe.errors = given.errors.slice(0, 8).map(nested)
  const stack = `${name}: ${message}${framesOf(given)}`
  return Object.defineProperty(Object.assign(new Error(message), safe), 'stack', { value: stack })
}

const word = /^[a-z]\w{0,63}$/i
const number = /^-?\d{1,9}$/

/** The fields that are kept, if their value, a string or a number, looks as it should. */
const safeFields = Object.entries({
  name: word,
  // Codes of OpenSSL 3.5 have a slash.
  code: /^[a-z][\w/]{0,63}$/i,
  syscall: word,
  errno: number,
  address: /^[\da-f:.]+$/i,
  port: number,
  // Of a transport that saw that there was no connection yet.
  phase: /^connecting$/,
  // Of `nodeTransport`.
  proxyStatus: number,
  proxy: /^\w+:\/\/[\w.:[\]-]+(, which (closed the connection|answered \d+))?$/,
})

/** Of undici, Chromium and Safari. */
const safeMessage = /^(fetch failed|terminated|Failed to fetch|Load failed)$/

/** The first lines of a stack after the message that are places in files. */
const framesOf = ({ message, stack }: Fields): string =>
  /^(\n {4}at .*:\d+:\d+\)?)*/.exec(String(stack).split(String(message))[1] ?? '')?.[0] ?? ''
