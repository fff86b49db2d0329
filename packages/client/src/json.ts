/** Whether a value is what JSON writes as an object: no array, and no Map, Date or the like, whose content is lost. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === '[object Object]'

/** The text of a body as JSON, or as it is. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const encoder = new TextEncoder()
const scratch = new Uint8Array(16_384)

/** Bytes of a text in UTF-8, counted without keeping them: megabytes of garbage would cost more than the count. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; ) {
    const { read, written } = encoder.encodeInto(text.slice(at), scratch)
    at += read
    bytes += written
  }
  return bytes
}
