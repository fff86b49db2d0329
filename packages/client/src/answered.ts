import type { Reply } from './conversation.js'
import type { Attempt } from './errors.js'

/** A result with what it took to get it. */
export interface Answered<T> {
  data: T
  /** A readable copy of the last answer. */
  response: Response
  requestId: string | undefined
  attempts: readonly Attempt[]
}

/** A promise of the result; `withResponse()` gives the response, the request id and the attempts beside it. */
export interface Answer<T> extends Promise<T> {
  withResponse(): Promise<Answered<T>>
}

/** Runs a call and offers its result in both ways; a failure that one of them handles is handled. */
export function answerOf<T>(run: () => Promise<{ data: T; reply: Reply }>): Answer<T> {
  const running = run()
  const data = running.then((done) => done.data)
  return Object.assign(data, {
    async withResponse(): Promise<Answered<T>> {
      data.catch(() => {})
      const { data: result, reply } = await running
      const { text, response, requestId, attempts } = reply
      const { status, statusText, headers } = response
      return { data: result, response: new Response(text, { status, statusText, headers }), requestId, attempts }
    },
  })
}
