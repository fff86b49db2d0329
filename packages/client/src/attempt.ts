import { failureOf, reasonOf } from './cause.js'
import { type Clock, rejectedBy, timeoutError } from './clock.js'
import type { Phase } from './errors.js'
import type { Fetch } from './fetch.js'

/** A request before it is built: each attempt makes a new Request from the same bytes. */
export interface Draft {
  url: string
  method: string
  headers: Headers
  body: BodyInit | undefined
}

/** How one attempt ended: with an answer, or without one. A refusal is an answer even when its body breaks off. */
export type Exchange =
  | { response: Response; text: string; ms: number }
  | {
      failure: ReturnType<typeof failureOf> | 'timeout'
      phase: Phase
      cause: unknown
      code: string
      /** The status, where the answer broke off after it. */
      status?: number
      ms: number
    }

/** Error bodies are read up to this many characters; what a proxy may send beyond it is of no use. */
const errorBodyCap = 1_048_576

/**
 * Sends one request and reads its answer to the last byte, within `timeoutMs`. Rejects with the signal's reason, at
 * once, when the caller aborts; leaves no timer, listener or unread body behind.
 */
export async function attempt(
  draft: Draft,
  send: { fetch: Fetch; clock: Clock; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Exchange> {
  const { clock, signal } = send
  const startedAt = clock.now()
  const request = new AbortController()
  const built = requestOf(draft, request.signal)
  const abort = () => request.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  const cancelTimer = clock.after(send.timeoutMs, () => request.abort(timeoutError()))
  const interrupted = rejectedBy(request.signal)
  let response: Response | undefined
  let pending: Promise<Response> | undefined
  const read = { text: '' }
  try {
    pending = send.fetch(built)
    // A fetch that does not listen to its signal must not hold up the caller.
    response = await Promise.race([pending, interrupted])
    await readInto(read, response, interrupted)
    return { response, text: read.text, ms: clock.now() - startedAt }
  } catch (cause) {
    if (!response) pending?.then((late) => late.body?.cancel()).catch(() => {})
    if (signal?.aborted) throw signal.reason
    const ms = clock.now() - startedAt
    if (response && response.status >= 300 && response.status < 500) return { response, text: read.text, ms }
    const phase: Phase = response ? 'reading' : 'waiting'
    const status = response ? { status: response.status } : {}
    if (request.signal.aborted) return { failure: 'timeout', phase, cause: undefined, code: 'time-out', ms, ...status }
    const failure = response ? 'lost' : failureOf(cause)
    const unsent = failure === 'unreached' || failure === 'untrusted'
    return { failure, phase: unsent ? 'connecting' : phase, cause, code: reasonOf(cause), ms, ...status }
  } finally {
    cancelTimer()
    signal?.removeEventListener('abort', abort)
  }
}

const requestOf = ({ url, method, headers, body }: Draft, signal: AbortSignal): Request =>
  new Request(url, { method, headers, ...(body !== undefined && { body }), redirect: 'manual', signal })

/** Reads a body piece by piece, so that what came before it broke off is kept; frees the connection in the end. */
async function readInto(read: { text: string }, response: Response, interrupted: Promise<never>): Promise<void> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  const cap = response.ok ? Number.POSITIVE_INFINITY : errorBodyCap
  try {
    while (read.text.length < cap) {
      const { done, value } = await Promise.race([reader.read(), interrupted])
      if (done) return
      read.text += decoder.decode(value, { stream: true })
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
