import { newTextEncoder } from './environment.js'
import { lazily } from './lazily.js'

/** True for an object that JSON keeps whole: not an array, Map or Date. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === '[object Object]'

/** Parses JSON; returns other text unchanged. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
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
