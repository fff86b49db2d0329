import { timeoutError } from '../clock.js'
import { newTextDecoder } from '../environment.js'
import {
  failureOf,
  InputError,
  isUnsent,
  type NetworkFailure,
  type Phase,
  reasonOf,
  safeCause,
} from '../errors/index.js'
import type { Settings } from '../options.js'
import type { BodyReader, TransportRequest, TransportResponse } from '../transport.js'
import type { BuiltRequest } from './request.js'

/** The end of one attempt: a response, or a failure. A 4xx is a response even if its body breaks off. */
export type Exchange =
  | { response: TransportResponse; text: string; ms: number; tooLarge?: boolean | undefined }
  | NetworkFailure

const errorBytes = { json: 1_048_576, other: 65_536 }

/**
 * Sends one request and reads the response to the last byte, within `timeoutMs`. Rejects at once with the signal's reason
 * if the caller aborts. Leaves no timer, listener or unread body behind.
 */
export const attempt = (
  { url, method, body }: BuiltRequest,
  { transport, clock, maxResponseBytes, cache }: Settings,
  {
    headers,
    timeoutMs,
    signal,
    isRaw,
    call,
  }: Pick<TransportRequest, 'headers' | 'call'> & {
    timeoutMs: number
    signal: AbortSignal | undefined
    isRaw: boolean
  },
): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    const startedAt = clock.monotonic()
    const stop = new AbortController()
    const request: TransportRequest = {
      url,
      method,
      headers: body === null ? headers : { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      // A framework may cache even answers to writes.
      ...((cache === 'no-store' || (method !== 'GET' && method !== 'HEAD')) && { cache: 'no-store' }),
      signal: stop.signal,
      call,
    }
    const reading: Reading = { chunks: [] }
    const end = (broken?: { cause: unknown }) => {
      cancelTimer()
      signal?.removeEventListener('abort', interrupt)
      if (broken && signal?.aborted) return reject(signal.reason)
      // The transport refused before any I/O.
      if (broken?.cause instanceof InputError) return reject(broken.cause)
      const ms = clock.monotonic() - startedAt
      const { response } = reading
      if (response && !broken && isRaw && isSuccess(response)) {
        return resolve({ response: { ...shownOf(response), body: rawBody(response, stop, signal) }, text: '', ms })
      }
      if (response && (!broken || (response.status >= 300 && (response.status < 500 || response.status === 501)))) {
        const text = reading.tooLarge ? undefined : decodedText(reading.chunks)
        return resolve({ response, text: text ?? '', ms, tooLarge: text === undefined })
      }
      resolve(failed(response?.status, stop.signal.aborted, broken?.cause, ms))
    }
    // Also ends the attempt if the caller's fetch ignores its signal.
    const interrupt = () => {
      const cause = signal?.aborted ? signal.reason : timeoutError()
      stop.abort(cause)
      reading.reader?.cancel().catch(() => {})
      end({ cause })
    }
    // An error that the caller's fetch throws before it returns a promise is not one of the network: it rejects as it is.
    const sending = transport.send(request)
    const cancelTimer = clock.after(timeoutMs, interrupt)
    signal?.addEventListener('abort', interrupt)
    // The fetch itself may have aborted the call.
    if (signal?.aborted) interrupt()
    receive(reading, sending, request, maxResponseBytes, isRaw).then(
      () => end(),
      (cause) => end({ cause }),
    )
  })

export const isSuccess = ({ status }: TransportResponse): boolean => status >= 200 && status < 300

interface Reading {
  response?: TransportResponse
  reader?: BodyReader | undefined
  chunks: Uint8Array[]
  /** A success body above `maxResponseBytes`. */
  tooLarge?: boolean
}

async function receive(
  reading: Reading,
  sending: Promise<TransportResponse>,
  request: TransportRequest,
  maxResponseBytes: number,
  isRaw: boolean,
): Promise<void> {
  const response = await sending
  if (isRaw && isSuccess(response) && !request.signal.aborted) {
    reading.response = response
    return
  }
  const reader = response.body?.getReader()
  if (request.signal.aborted) return void reader?.cancel().catch(() => {})
  reading.response = response
  reading.reader = reader
  const ok = isSuccess(response)
  let maxBytes = ok ? maxResponseBytes : errorBytes.other
  let isBlank = !ok
  for (let bytes = 0; reader; ) {
    const { done, value } = await reader.read()
    if (done || !value) return
    if (isBlank) {
      const firstByte = value.find((byte) => byte > 0x20)
      isBlank = firstByte === undefined
      if (firstByte === 0x7b || firstByte === 0x5b) maxBytes = errorBytes.json
    }
    reading.chunks.push(bytes + value.length > maxBytes ? value.subarray(0, maxBytes - bytes) : value)
    bytes += value.length
    if (bytes <= maxBytes) continue
    reading.tooLarge = ok
    if (ok) reading.chunks = []
    return void reader.cancel().catch(() => {})
  }
}

const shownOf = ({ status, statusText, headers }: TransportResponse) => ({ status, statusText, headers })

/** A body for the caller to read. The caller's signal ends it with an error, also if the transport does not see to that. */
export function rawBody(
  { status, body }: Pick<TransportResponse, 'status' | 'body'>,
  stop: AbortController,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> | null {
  const reader = body?.getReader()
  if (!reader) return null
  if (status === 204 || status === 205 || status === 304) {
    // A Response of these statuses has no body.
    reader.cancel().catch(() => {})
    return null
  }
  let interrupt = () => {}
  const release = () => signal?.removeEventListener('abort', interrupt)
  return new ReadableStream<Uint8Array>({
    start(controller) {
      interrupt = () => {
        controller.error(signal?.reason)
        stop.abort(signal?.reason)
        reader.cancel().catch(() => {})
      }
      signal?.addEventListener('abort', interrupt, { once: true })
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done && value) return controller.enqueue(value)
        release()
        controller.close()
      } catch (error) {
        release()
        throw safeCause(error)
      }
    },
    async cancel() {
      release()
      await reader.cancel()
    },
  })
}

function failed(status: number | undefined, timedOut: boolean, error: unknown, ms: number): Exchange {
  const phase: Phase = status === undefined ? 'waiting' : 'reading'
  if (timedOut) return { failure: 'timeout', phase, code: 'time-out', status, ms }
  const cause = safeCause(error)
  const failure = status === undefined ? failureOf(cause) : 'lost'
  return { failure, phase: isUnsent(failure) ? 'connecting' : phase, cause, code: reasonOf(cause), status, ms }
}

/** Undefined if the text is longer than the runtime's strings can be. */
function decodedText(chunks: Uint8Array[]): string | undefined {
  const decoder = newTextDecoder()
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
  } catch {
    return undefined
  }
}
