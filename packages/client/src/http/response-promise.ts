import type { Attempt } from '../errors/index.js'
import { requestIdOf } from '../transport.js'
import type { Reply } from './send.js'

/** The result of a call with its response and attempts. */
export interface CallResult<T> {
  /** The result of the method. */
  data: T
  /** A readable copy of the last response; for a reconciled write, a 201 built from the record found. */
  response: Response
  /** The request id, from the service or its proxy; undefined if it gave none. */
  requestId: string | undefined
  /** All attempts in order, without the queries of reconciliation. */
  attempts: readonly Attempt[]
  /** Duration of the whole call in milliseconds, with its waits and retries. */
  ms: number
}

/** The promise that every method returns. */
export interface ResponsePromise<T> extends Promise<T> {
  /** Resolve to the result with its response, request id, attempts and duration, without a second request. */
  withResponse(): Promise<CallResult<T>>
}

/** Runs a call. Awaits at every step, so that the stack of an error shows the caller. */
export function responsePromise<T>(run: () => Promise<{ data: T; reply: Reply; ms: number }>): ResponsePromise<T> {
  const done = run()
  const answer = (async () => (await done).data)()
  return Object.assign(answer, {
    async withResponse(): Promise<CallResult<T>> {
      const data = await answer
      const { reply, ms } = await done
      const { text, attempts, requestId = requestIdOf(reply.response) } = reply
      const { status, statusText, headers } = reply.response
      // A 204 or 304 must not have a body.
      const response = new Response(text || null, { status, statusText, headers: [...headers] })
      return { data, response, requestId, attempts, ms }
    },
  })
}
