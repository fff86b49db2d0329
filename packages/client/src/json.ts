import { newTextEncoder } from './environment.js'
import { lazily } from './lazily.js'

/** The kind of a value, as in `Array`, `Map` or `Null`; the same for a value of another realm. */
export const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

/** True for an object that JSON keeps whole: not an array, Map or Date. */
export const isObject = (value: unknown): value is Record<string, unknown> => tagOf(value) === 'Object'

export const isDate = (value: unknown): value is Date => tagOf(value) === 'Date'

/** The value that `JSON.stringify` writes under a name: the result of its `toJSON`. */
export function toJsonValue(value: unknown, name = ''): unknown {
  if (value === null || !(typeof value === 'object' || typeof value === 'function' || typeof value === 'bigint'))
    return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value, name) : value
}

/** Parses JSON; returns other text unchanged, and JSON of more than 512 levels, which `JSON.stringify` could not write. */
export function parseBody(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeper(value, 512) ? text : value
  } catch {
    return text
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

const encoder = lazily(newTextEncoder)
const scratch = new Uint8Array(16_384)

/** Counts the UTF-8 bytes of a text without allocating them. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; ) {
    const { read, written } = encoder().encodeInto(text.slice(at), scratch)
    at += read
    bytes += written
  }
  return bytes
}
