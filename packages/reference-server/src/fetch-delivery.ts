import type { Answer, Delivery } from './call.js'
import type { Clock } from './clock.js'
import { bytesOf, drip, firstBytes } from './delivery.js'

/** An answer that fails to arrive, as `fetch` of Node shows it. An abort ends it with the reason of the signal. */
export function deliver(
  method: string,
  answer: Answer,
  delivery: Delivery,
  signal: AbortSignal,
  clock: Clock,
): Promise<Response> | Response {
  if (!('bytes' in delivery)) return without(delivery.kind, signal)
  const { status, headers } = answer
  if (status === 204) return new Response(null, { status, headers })
  const body = bytesOf(answer.body)
  const init = { status, headers: { ...headers, 'content-length': String(body.byteLength) } }
  if (method === 'HEAD') return new Response(null, init)
  const stream =
    delivery.kind === 'drip'
      ? dripping(body, delivery, signal, clock)
      : breakingOff(firstBytes(body, delivery.bytes), delivery.kind, signal)
  return new Response(stream, init)
}

function without(kind: 'reset' | 'close' | 'hang', signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (kind === 'reset') reject(failed('fetch failed', 'read ECONNRESET', 'ECONNRESET'))
    else if (kind === 'close') reject(failed('fetch failed', 'other side closed', 'UND_ERR_SOCKET'))
    else onAbort(signal, () => reject(signal.reason))
  })
}

function breakingOff(first: Uint8Array, kind: 'stall' | 'truncate', signal: AbortSignal): ReadableStream<Uint8Array> {
  let forget = () => {}
  let isGiven = first.byteLength === 0
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        forget = onAbort(signal, () => controller.error(signal.reason))
      },
      async pull(controller) {
        if (!isGiven) {
          isGiven = true
          controller.enqueue(first)
        } else if (kind === 'stall') {
          // Ends when the stream is cancelled or the signal aborted, and never by itself.
          await new Promise<never>(() => {})
        } else {
          forget()
          controller.error(failed('terminated', 'other side closed', 'UND_ERR_SOCKET'))
        }
      },
      cancel: () => forget(),
    },
    // An error drops what nobody has read yet, so nothing is made ready in advance.
    { highWaterMark: 0 },
  )
}

function dripping(
  body: Uint8Array,
  delivery: Extract<Delivery, { kind: 'drip' }>,
  signal: AbortSignal,
  clock: Clock,
): ReadableStream<Uint8Array> {
  let stop = () => {}
  return new ReadableStream<Uint8Array>({
    start(controller) {
      let cancel = () => {}
      const forget = onAbort(signal, () => {
        cancel()
        controller.error(signal.reason)
      })
      stop = () => {
        cancel()
        forget()
      }
      cancel = drip(body, delivery, clock, (piece, isLast) => {
        controller.enqueue(piece)
        if (!isLast) return
        forget()
        controller.close()
      })
    },
    cancel: () => stop(),
  })
}

/** Calls back when the signal is aborted; gives a function that takes it back. */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  signal.addEventListener('abort', callback, { once: true })
  return () => signal.removeEventListener('abort', callback)
}

function failed(message: string, why: string, code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(why), { code }) })
}
