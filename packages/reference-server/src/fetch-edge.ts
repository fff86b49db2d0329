import { type Base, locate, nowhere } from './bases.js'
import { type Answer, type AnswerCall, type Call, CallerGone } from './call.js'
import type { Clock } from './clock.js'
import { readBytes } from './fetch-body.js'
import { deliver } from './fetch-delivery.js'
import { failed } from './refused.js'
import { utf8Length } from './text.js'
import type { Surface } from './types.js'

/** A Fetch: a Request in, or what makes one, and a Response out. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>

/**
 * Answers Requests in process. An abort rejects with the reason of the signal, as `fetch` does. What fails to arrive does so
 * as in Node's `fetch`, `cause.code` included; a whole answer is handed over whole. A body that cannot be read rejects with
 * a TypeError, its `cause` the error of the stream: as the standard has it, a stream gives nothing but Uint8Array chunks.
 */
export function createFetch(answerCall: AnswerCall, bases: () => readonly Base[], clock: Clock): Fetch {
  return async (input, init) => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init)
    if (request.bodyUsed) throw new TypeError('The body of the Request has been used already.')
    const { method, signal } = request
    signal.throwIfAborted()
    let unread: unknown
    const call: Call = {
      method,
      signal,
      ...(locate(bases(), request.url) ?? nowhere),
      header: (name) => request.headers.get(name),
      readBody: (limit) =>
        readBytes(request, limit, (why) => {
          unread = why
          return new CallerGone('The body could not be read.', { cause: why })
        }),
    }
    // Whatever waits for something ends when the caller goes away, so the journal has the request before the caller goes on.
    const answer = await answerCall(call)
    signal.throwIfAborted()
    if (answer.delivery) return deliver(method, answer, answer.delivery, signal, clock)
    if (answer.status === 499) throw new TypeError('The body of the request could not be read.', { cause: unread })
    return written(method, call.surface, answer)
  }
}

function written(method: string, surface: Surface, answer: Answer): Response {
  try {
    return toResponse(method, answer)
  } catch {
    return toResponse(method, failed(surface))
  }
}

function toResponse(method: string, { status, headers, body }: Answer): Response {
  if (status === 204) return new Response(null, { status, headers })
  const length = String(utf8Length(body))
  return new Response(method === 'HEAD' ? null : body, { status, headers: { ...headers, 'content-length': length } })
}
