import { codeInMessage } from './create-errors.js'
import { SvcError } from './errors.js'

/** The fields of a transport's error that it keeps. */
interface SafeError extends Error {
  code?: string
  syscall?: string
  errno?: string | number
  address?: string
  port?: number
  /** The proxy that `nodeTransport` used. */
  proxy?: string
  errors?: unknown[]
}

/**
 * A copy of a transport's error with known fields only: other fields and most messages may hold the key or transcript text,
 * such as the raw bytes of an answer that could not be parsed. Returns this package's errors unchanged.
 */
export function safeCause(error: unknown, depth = 0): unknown {
  if (error instanceof SvcError) return error
  if (typeof error !== 'object' || error === null || depth > maxDepth) return undefined
  const given = error as Partial<Record<keyof SafeError, unknown>>
  const fields = {
    code: matching(given.code, word) ?? codeInMessage(given),
    syscall: matching(given.syscall, word),
    errno: typeof given.errno === 'number' ? given.errno : matching(given.errno, word),
    address: matching(given.address, ipAddress),
    port: typeof given.port === 'number' ? given.port : undefined,
    proxy: matching(given.proxy, proxyWithReason),
    cause: safeCause(given.cause, depth + 1),
    errors: Array.isArray(given.errors)
      ? given.errors.slice(0, maxErrors).map((each) => safeCause(each, depth + 1))
      : undefined,
  }
  const known = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const safe: SafeError = Object.assign(new Error(messageOf(given.message, fields)), known)
  const name = matching(given.name, errorName) ?? 'Error'
  const stack = `${name}: ${safe.message}${framesOf(given)}`
  Object.defineProperties(safe, { name: { value: name }, stack: { value: stack } })
  return safe
}

const maxDepth = 4
const maxErrors = 8

const word = /^\w{1,64}$/
const ipAddress = /^[\da-f:.]{2,45}$/i
const errorName = /^\w{0,32}(Error|Exception)$/
const proxyWithReason = /^\w+:\/\/[\w.:[\]-]+(, which (closed the connection|answered \d{3}))?$/

const matching = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined

/** The message if it is one of a runtime or of this package, else one of the known fields. */
function messageOf(given: unknown, { syscall, code, address, port, proxy }: Record<string, unknown>): string {
  if (safeMessages.has(given)) return String(given)
  if (!code) return 'The message is not shown, because it may hold a key or text.'
  const where = address && (port === undefined ? address : `${address}:${port}`)
  return [syscall, code, where, proxy && `through ${proxy}`].filter(Boolean).join(' ')
}

const safeMessages = new Set<unknown>([
  // Node.js, Chromium, Safari, Firefox and workerd.
  'fetch failed',
  'terminated',
  'other side closed',
  'socket hang up',
  'aborted',
  'Failed to fetch',
  'network error',
  'Load failed',
  'NetworkError when attempting to fetch resource.',
  'Network connection lost.',
  // This package.
  'The connection closed before the answer was whole.',
  'No connection within the time-out.',
  'Proxy closed the connection.',
])

/** The lines of a stack after the message, if each is a place in a file. */
function framesOf({ message, stack }: { message?: unknown; stack?: unknown }): string {
  if (typeof message !== 'string' || typeof stack !== 'string' || !stack.includes(message)) return ''
  const frames = stack.slice(stack.indexOf(message) + message.length)
  return /^(\n {4}at [^\n]*(:\d+:\d+|native|<anonymous>)\)?)*$/.test(frames) ? frames : ''
}
