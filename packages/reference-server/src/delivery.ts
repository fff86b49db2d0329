import { after, type Clock } from './clock.js'

/** A text as the bytes that are sent. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** The bytes of a body that come before it breaks off: at most `count`, and never all of them. */
export function firstBytes(body: Uint8Array, count: number): Uint8Array {
  return body.subarray(0, Math.max(0, Math.min(count, body.byteLength - 1)))
}

/** Gives a body away, `bytes` at a time and the first at once; gives a function that stops it. */
export function drip(
  body: Uint8Array,
  { bytes, everyMs }: { readonly bytes: number; readonly everyMs: number },
  clock: Clock,
  give: (piece: Uint8Array, isLast: boolean) => void,
): () => void {
  const step = Math.max(1, Math.floor(bytes))
  let cancel = () => {}
  const next = (at: number) => {
    const end = at + step
    const isLast = end >= body.byteLength
    if (!isLast) cancel = after(clock, everyMs, () => next(end))
    give(body.subarray(at, end), isLast)
  }
  next(0)
  return () => cancel()
}
