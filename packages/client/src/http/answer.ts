import type { Attempt } from '../errors/index.js'
import { InputError } from '../errors/index.js'
import { requestIdOf } from '../transport.js'
import type { Mode, Reply } from './send.js'

/** The result of a call with its response and attempts. */
export interface Answered<T> {
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
export interface Answer<T> extends Promise<T> {
  /** Resolve to the result with its response, request id, attempts and duration, without a second request. */
  withResponse(): Promise<Answered<T>>
  /**
   * Resolve to the response as soon as its headers are there, with a body that is not read yet; for reads only. Call it at
   * once, in place of awaiting the method. A status of 400 or more is retried and thrown as ever; `timeoutMs` ends with the
   * headers, `maxResponseBytes` does not apply, and `signal` also ends the body.
   */
  asResponse(): Promise<Response>
}

/** Runs a call. Awaits at every step, so that the stack of an error shows the caller. */
export function answerOf<T>(run: (mode: Mode) => Promise<{ data: T; reply: Reply; ms: number }>): Answer<T> {
  const mode: Mode = { isRaw: false, isSent: false }
  const done = run(mode)
  const answer = (async () => (await done).data)()
  return Object.assign(answer, {
    async withResponse(): Promise<Answered<T>> {
      const data = await answer
      const { reply, ms } = await done
      const { text, attempts, requestId = requestIdOf(reply.response) } = reply
      const { status, statusText, headers } = reply.response
      // A 204 or 304 must not have a body.
      const response = new Response(text || null, { status, statusText, headers: [...headers] })
      return { data, response, requestId, attempts, ms }
    },
    async asResponse(): Promise<Response> {
      if (mode.isSent) {
        const message = 'asResponse: it was sent already; call it at once.'
        throw new InputError('invalid_input', message, 'asResponse')
      }
      mode.isRaw = true
      await answer
      const { status, statusText, headers, body } = (await done).reply.response
      return new Response(body as ReadableStream | null, { status, statusText, headers: [...headers] })
    },
  })
}
