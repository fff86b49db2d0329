import { requestIdOf } from './answer.js'
import type { Reply } from './conversation.js'
import type { Attempt } from './errors.js'

/** A result with what it took to get it. */
export interface Answered<T> {
  data: T
  /** A readable copy of the last answer. */
  response: Response
  /** The id under which the service, or what stands before it, knows the request. */
  requestId: string | undefined
  /** Every request that was made for the call, each with its duration. */
  attempts: readonly Attempt[]
  /** Duration of the whole call in milliseconds, with queueing, waits and repetitions. */
  ms: number
}

/** A promise of the result; `withResponse()` gives the response, the request id, the attempts and the time beside it. */
export interface Answer<T> extends Promise<T> {
  withResponse(): Promise<Answered<T>>
}

/**
 * Runs a call and offers its result in both ways; a failure that one of them handles is handled. Awaited all the way, so
 * that the stack of an error leads to the caller.
 */
export function answerOf<T>(run: () => Promise<{ data: T; reply: Reply; ms: number }>): Answer<T> {
  let reply: Reply
  let ms: number
  const answer = (async () => {
    const done = await run()
    reply = done.reply
    ms = done.ms
    return done.data
  })()
  return Object.assign(answer, {
    async withResponse(): Promise<Answered<T>> {
      const data = await answer
      const { text, attempts, requestId = requestIdOf(reply.response.headers) } = reply
      const { status, statusText, headers } = reply.response
      const response = new Response(text, { status, statusText, headers: [...headers.entries()] })
      return { data, response, requestId, attempts, ms }
    },
  })
}
