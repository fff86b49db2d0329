import { asked } from './asked.js'
import type { Base } from './bases.js'
import type { Answer, AnswerCall } from './call.js'
import type { Clock } from './clock.js'
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
    const call = asked(bases(), input, init)
    const { method, surface, abortable } = call
    abortable?.throwIfAborted()
    // Whatever waits for something ends when the caller goes away, so the journal has the request before the caller goes on.
    const work = answerCall(call)
    const answer = work instanceof Promise ? await work : work
    abortable?.throwIfAborted()
    if (answer.delivery) return deliver(method, answer, answer.delivery, call.signal, clock)
    if (answer.status === 499) throw new TypeError('The body of the request could not be read.', { cause: call.unread })
    return written(method, surface, answer)
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
