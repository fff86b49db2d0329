import { type Clock, timeoutError } from '../clock.js'
import { failureOf, InputError, type NetworkFailure, type Phase, reasonOf } from '../errors/index.js'
import type { BodyReader, Transport, TransportRequest, TransportResponse } from '../transport.js'
import type { BuiltRequest } from './request.js'

/** How one attempt ended: with an answer, or without one. A refusal is an answer even when its body breaks off. */
export type Exchange =
  | { response: TransportResponse; text: string; ms: number; tooLarge?: boolean | undefined }
  | NetworkFailure

/** Bytes of an error body that are read: what a proxy may send beyond them is of no use. */
const errorBytes = { json: 1_048_576, other: 65_536 }

/**
 * Sends one request and reads its answer to the last byte, within `timeoutMs`. Rejects with the signal's reason, at
 * once, when the caller aborts; leaves no timer, listener or unread body behind.
 */
export const attempt = (
  { url, method, body }: BuiltRequest,
  {
    headers,
    transport,
    clock,
    timeoutMs,
    signal,
    maxResponseBytes,
  }: {
    headers: Record<string, string>
    transport: Transport
    clock: Clock
    timeoutMs: number
    signal: AbortSignal | undefined
    /** Of a success, unpacked. */
    maxResponseBytes: number
  },
): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const startedAt = clock.now()
    const stop = new AbortController()
    const request: TransportRequest = {
      url,
      method,
      headers: body === null ? headers : { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: stop.signal,
    }
    const reading: Reading = { chunks: [] }
    const end = (broken?: { cause: unknown }) => {
      cancelTimer()
      signal?.removeEventListener('abort', interrupt)
      if (broken && signal?.aborted) return reject(signal.reason)
      // The transport refused before any I/O.
      if (broken?.cause instanceof InputError) return reject(broken.cause)
      const ms = clock.now() - startedAt
      const { response } = reading
      // A refusal is one even when its body breaks off.
      if (response && (!broken || (response.status >= 300 && (response.status < 500 || response.status === 501)))) {
        const text = reading.tooLarge ? undefined : textOf(reading.chunks)
        return resolve({ response, text: text ?? '', ms, tooLarge: text === undefined })
      }
      resolve(failed(response?.status, stop.signal.aborted, broken?.cause, ms))
    }
    // Ends the attempt itself, too: a fetch that does not listen to its signal must not hold up the caller.
    const interrupt = () => {
      const cause = signal?.aborted ? signal.reason : timeoutError()
      stop.abort(cause)
      reading.reader?.cancel().catch(() => {})
      end({ cause })
    }
    const cancelTimer = clock.after(timeoutMs, interrupt)
    signal?.addEventListener('abort', interrupt)
    receive(reading, transport, request, maxResponseBytes).then(
      () => end(),
      (cause) => end({ cause }),
    )
  })

export const isSuccess = ({ status }: TransportResponse): boolean => status >= 200 && status < 300

/** An answer as far as it has come. */
interface Reading {
  response?: TransportResponse
  reader?: BodyReader | undefined
  chunks: Uint8Array[]
  /** A success of more bytes than are read. */
  tooLarge?: boolean
}

async function receive(
  reading: Reading,
  transport: Transport,
  request: TransportRequest,
  maxResponseBytes: number,
): Promise<void> {
  const response = await transport.send(request)
  const reader = response.body?.getReader()
  if (request.signal.aborted) return void reader?.cancel().catch(() => {})
  reading.response = response
  reading.reader = reader
  const ok = isSuccess(response)
  let most = ok ? maxResponseBytes : errorBytes.other
  let isBlank = !ok
  for (let bytes = 0; reader; ) {
    const { done, value } = await reader.read()
    if (done || !value) return
    if (isBlank) {
      const begun = value.find((byte) => byte > 0x20)
      isBlank = begun === undefined
      if (begun === 0x7b || begun === 0x5b) most = errorBytes.json
    }
    reading.chunks.push(bytes + value.length > most ? value.subarray(0, most - bytes) : value)
    bytes += value.length
    if (bytes <= most) continue
    reading.tooLarge = ok
    if (ok) reading.chunks = []
    return void reader.cancel().catch(() => {})
  }
}

function failed(status: number | undefined, timedOut: boolean, cause: unknown, ms: number): Exchange {
  const phase: Phase = status === undefined ? 'waiting' : 'reading'
  if (timedOut) return { failure: 'timeout', phase, code: 'time-out', status, ms }
  const failure = status === undefined ? failureOf(cause) : 'lost'
  const unsent = failure === 'unreached' || failure === 'untrusted'
  return { failure, phase: unsent ? 'connecting' : phase, cause, code: reasonOf(cause), status, ms }
}

const decoder = new TextDecoder()

/** Undefined where the runtime has no string of that length. */
function textOf(chunks: Uint8Array[]): string | undefined {
  try {
    if (chunks.length === 1) return decoder.decode(chunks[0])
    const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
    let at = 0
    for (const chunk of chunks) {
      whole.set(chunk, at)
      at += chunk.length
    }
    return decoder.decode(whole)
  } catch {
    return undefined
  }
}
