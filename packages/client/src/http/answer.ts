import type { Attempt } from '../errors/index.js'
import { requestIdOf } from '../transport.js'
import type { Reply } from './send.js'

/** A result with what it took to get it. */
export interface Answered<T> {
  /** What the verb itself resolves to. */
  data: T
  /**
   * A readable copy of the last answer. For a write whose answer was lost and whose record was found, a 201 that holds
   * the record.
   */
  response: Response
  /** The id under which the service, or what stands before it, knows the last request; undefined when it gave none. */
  requestId: string | undefined
  /** Every request that sent the call, first to last, without those that looked for a lost write. */
  attempts: readonly Attempt[]
  /** Duration of the whole call in milliseconds, with queueing, waits and repetitions. */
  ms: number
}

/** A promise of a verb's result. */
export interface Answer<T> extends Promise<T> {
  /**
   * The same call's result with its response, request id, attempts and time; sends nothing again, rejects as the call
   * does.
   */
  withResponse(): Promise<Answered<T>>
}

/**
 * Runs a call and offers its result in both ways; a failure that one of them handles is handled. Awaited all the way,
 * so that the stack of an error leads to the caller.
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
      const { text, attempts, requestId = requestIdOf(reply.response) } = reply
      const { status, statusText, headers } = reply.response
      const response = new Response(text, { status, statusText, headers: [...headers] })
      return { data, response, requestId, attempts, ms }
    },
  })
}
