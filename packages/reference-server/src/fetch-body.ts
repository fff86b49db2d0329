import { tooLarge } from './body.js'
import { CallerGone, unlessGone } from './call.js'

/** All bytes of a Request's body, or a refusal as soon as they are over the limit. An abort cancels the stream. */
export async function readBytes(
  request: Request,
  limit: number,
  unreadable: (why: unknown) => CallerGone,
): Promise<Uint8Array> {
  const reader = request.body?.getReader()
  if (!reader) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await unlessGone(reader.read(), request.signal).catch((why: unknown) => {
      if (!(why instanceof CallerGone)) throw unreadable(why)
      reader.cancel(why.cause).catch(() => {})
      throw why
    })
    if (done) return join(chunks, length)
    if (!isBytes(value)) {
      reader.cancel().catch(() => {})
      throw unreadable(new TypeError('The stream of a body must give Uint8Array chunks; text has to be encoded first.'))
    }
    chunks.push(value)
    length += value.byteLength
    if (length <= limit) continue
    // Not awaited: a source that never answers its cancellation must not hold the refusal back.
    reader.cancel().catch(() => {})
    throw tooLarge(limit)
  }
}

/** Also those of another realm, as a test environment may have them. */
const isBytes = (chunk: unknown) => Object.prototype.toString.call(chunk) === '[object Uint8Array]'

/** The chunks as one array; one chunk is given back as it is. */
export function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1 && chunks[0]) return chunks[0]
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
