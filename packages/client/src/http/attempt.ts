import { type Clock, onAbort, timeoutError } from '../clock.js'
import { newTextDecoder } from '../environment.js'
import {
  type Attempt,
  failureOf,
  InputError,
  isUnsent,
  type NetworkFailure,
  type Phase,
  reasonOf,
  safeCause,
  timedOut,
} from '../errors/index.js'
import { utf8Length } from '../json.js'
import type { Settings } from '../options.js'
import { type BodyReader, fetchResult, type TransportRequest, type TransportResponse } from '../transport.js'
import type { BuiltRequest } from './request.js'

/** The end of one attempt: an answer, or a failure. A 4xx is an answer even if its body breaks off. */
export type Exchange = { made: Attempt } & (
  | { answer: Answer; failure?: undefined }
  | { answer?: undefined; failure: NetworkFailure }
)

interface Answer {
  response: TransportResponse
  text: string
  /** A success body above `maxResponseBytes`, without its text. */
  tooLarge?: boolean | undefined
}

const errorBytes = { json: 1_048_576, other: 65_536 }

/**
 * Sends one request and reads the response to the last byte, within `timeoutMs`. Rejects at once with the signal's reason
 * if the caller aborts. Leaves no timer, listener or unread body behind.
 */
export async function attempt(
  { url, method, body }: BuiltRequest,
  { transport, clock, maxResponseBytes, cache }: Settings,
  {
    headers,
    timeoutMs,
    signal,
    call,
  }: Pick<TransportRequest, 'headers' | 'call'> & {
    timeoutMs: number
    signal: AbortSignal | undefined
  },
): Promise<Exchange> {
  const startedAt = clock.monotonic()
  const stop = new AbortController()
  const isRead = method === 'GET' || method === 'HEAD'
  // An error that the caller's fetch throws before it returns a promise is not one of the network: it rejects as it is.
  const sending = transport.send({
    url,
    method,
    headers: body === null ? headers : { 'content-type': 'application/json', ...headers },
    body,
    redirect: 'manual',
    // A framework may cache even answers to writes.
    ...((cache === 'no-store' || !isRead) && { cache: 'no-store' }),
    signal: stop.signal,
    call,
  })
  const limit = limited(clock, timeoutMs, signal, stop)
  const { response, text, tooLarge, broken } = await receive(sending, limit.within, maxResponseBytes)
  limit.release()
  const ms = clock.monotonic() - startedAt
  if (broken) {
    // A transport that ignores the signal may still give a response.
    sending.then(discard, () => {})
    if (signal?.aborted) throw signal.reason
    // The transport refused before any I/O, or gave a read no response.
    if (broken.cause instanceof InputError && (isRead || broken.cause.operation !== fetchResult)) throw broken.cause
  }
  if (response && (!broken || (response.status >= 300 && (response.status < 500 || response.status === 501)))) {
    return { made: { status: response.status, ms, sent: 'yes' }, answer: { response, text: text ?? '', tooLarge } }
  }
  const failure = failureAfter(response?.status, stop.signal.aborted, broken?.cause, ms)
  const { status, code: cause, phase } = failure
  const made: Attempt =
    status === undefined
      ? { cause, ms, sent: phase === 'connecting' ? 'no' : 'maybe' }
      : { status, cause, ms, sent: 'yes' }
  return { made, failure }
}

export const isSuccess = ({ status }: TransportResponse): boolean => status >= 200 && status < 300

type Within = <T>(work: Promise<T>) => Promise<T>

/** Ends work after `timeoutMs`, or when the caller aborts, also if the transport ignores its signal. */
function limited(clock: Required<Clock>, timeoutMs: number, signal: AbortSignal | undefined, stop: AbortController) {
  let interrupt = () => {}
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () => {
      const cause = signal?.aborted ? signal.reason : timeoutError()
      stop.abort(cause)
      reject(cause)
    }
  })
  interrupted.catch(() => {})
  const cancelTimer = clock.after(timeoutMs, interrupt)
  // The fetch itself may have aborted the call.
  const stopListening = onAbort(signal, interrupt)
  const within: Within = (work) => Promise.race([work, interrupted])
  const release = () => {
    cancelTimer()
    stopListening()
  }
  return { within, release }
}

interface ReceivedBody {
  /** Undefined for a body that is too large. */
  text?: string | undefined
  /** A success body above `maxResponseBytes`. */
  tooLarge?: boolean
  broken?: { cause: unknown }
}

interface Received extends ReceivedBody {
  response?: TransportResponse | undefined
}

async function receive(
  sending: Promise<TransportResponse>,
  within: Within,
  maxResponseBytes: number,
): Promise<Received> {
  let response: TransportResponse | undefined
  try {
    response = await within(sending)
    return { response, ...(await receiveBody(response, within, maxResponseBytes)) }
  } catch (cause) {
    return { response, broken: { cause } }
  }
}

async function receiveBody(
  response: TransportResponse,
  within: Within,
  maxResponseBytes: number,
): Promise<ReceivedBody> {
  const ok = isSuccess(response)
  // React Native has neither streams nor a decoder.
  if (hasText(response)) {
    const text = await within(response.text())
    if (!ok) return { text: text.slice(0, errorBytes.json) }
    return utf8Length(text) > maxResponseBytes ? { tooLarge: true } : { text }
  }
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  let maxBytes = ok ? maxResponseBytes : errorBytes.other
  let isBlank = !ok
  try {
    for (let bytes = 0; reader; ) {
      const { done, value } = await within(reader.read())
      if (done || !value) break
      if (isBlank) {
        const firstByte = value.find((byte) => byte > 0x20)
        isBlank = firstByte === undefined
        if (firstByte === 0x7b || firstByte === 0x5b) maxBytes = errorBytes.json
      }
      chunks.push(bytes + value.length > maxBytes ? value.subarray(0, maxBytes - bytes) : value)
      bytes += value.length
      if (bytes <= maxBytes) continue
      cancel(reader)
      if (ok) return { tooLarge: true }
      break
    }
  } catch (cause) {
    cancel(reader)
    return { text: decodedText(chunks), broken: { cause } }
  }
  const text = decodedText(chunks)
  return text === undefined ? { tooLarge: true } : { text }
}

/** True for a response without a stream, whose body can only be read as a whole. */
const hasText = (response: TransportResponse): response is TransportResponse & { text(): Promise<string> } =>
  !response.body && response.text !== undefined

const cancel = (reader: BodyReader | undefined) => void reader?.cancel().catch(() => {})

/** Frees the connection of a response that nobody reads; one that was read is locked. */
function discard({ body }: TransportResponse): void {
  try {
    cancel(body?.getReader())
  } catch {
    // Already cancelled.
  }
}

function failureAfter(status: number | undefined, isTimedOut: boolean, error: unknown, ms: number): NetworkFailure {
  const phase: Phase = status === undefined ? 'waiting' : 'reading'
  if (isTimedOut) return { failure: 'timeout', phase, code: timedOut, status, ms }
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
