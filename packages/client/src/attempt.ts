import { failureOf, reasonOf } from './cause.js'
import type { Clock } from './clock.js'
import type { Phase } from './errors.js'
import type { Fetch } from './fetch.js'

/** A request before it is built: each attempt makes a new Request from the same bytes. */
export interface Draft {
  url: string
  method: string
  headers: Headers
  body: BodyInit | undefined
}

/** How one attempt ended: with a whole answer, or without one. */
export type Exchange =
  | { response: Response; text: string; ms: number }
  | { failure: ReturnType<typeof failureOf> | 'timeout'; phase: Phase; cause: unknown; code: string; ms: number }

/** Error bodies are read up to this many characters; what a proxy may send beyond it is of no use. */
const errorBodyCap = 1_048_576

const timedOut = Symbol('timed out')

/**
 * Sends one request and reads its answer to the last byte, within `timeoutMs`. Rejects with the signal's reason, at
 * once, when the caller aborts; leaves no timer, listener or unread body behind.
 */
export async function attempt(
  draft: Draft,
  send: { fetch: Fetch; clock: Clock; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Exchange> {
  const { clock, signal } = send
  signal?.throwIfAborted()
  const request = new AbortController()
  const startedAt = clock.now()
  const abort = () => request.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  const cancelTimer = clock.after(send.timeoutMs, () => request.abort(timedOut))
  const interrupted = new Promise<never>((_, reject) => {
    request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true })
  })
  interrupted.catch(() => {})
  let phase: Phase = 'waiting'
  let response: Response | undefined
  let pending: Promise<Response> | undefined
  try {
    pending = send.fetch(
      new Request(draft.url, {
        method: draft.method,
        headers: draft.headers,
        ...(draft.body !== undefined && { body: draft.body }),
        redirect: 'manual',
        signal: request.signal,
      }),
    )
    // A fetch that does not listen to its signal must not hold up the caller.
    response = await Promise.race([pending, interrupted])
    phase = 'reading'
    const text = await Promise.race([readText(response), interrupted])
    return { response, text, ms: clock.now() - startedAt }
  } catch (cause) {
    void discard(response ?? pending)
    if (signal?.aborted) throw signal.reason
    const ms = clock.now() - startedAt
    if (request.signal.aborted) return { failure: 'timeout', phase, cause: undefined, code: 'time-out', ms }
    const failure = phase === 'reading' ? 'lost' : failureOf(cause)
    if (failure === 'unreached' || failure === 'untrusted') phase = 'connecting'
    return { failure, phase, cause, code: reasonOf(cause), ms }
  } finally {
    cancelTimer()
    signal?.removeEventListener('abort', abort)
  }
}

async function readText(response: Response): Promise<string> {
  if (response.ok || !response.body) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < errorBodyCap) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return text
}

/** Frees the connection of an answer that nobody will read. */
async function discard(answer: Response | Promise<Response> | undefined): Promise<void> {
  try {
    const body = (await answer)?.body
    if (body && !body.locked) await body.cancel()
  } catch {
    // There was no answer, so there is nothing to free.
  }
}
