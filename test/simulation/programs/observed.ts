import type { Clock, FetchLike, FetchResponse } from '@svc/client'

/** One request of a client, as the network saw it. */
export interface ObservedRequest {
  /** The name of its call, from the header `x-call`. */
  call: string
  surface: 'annotation' | 'workspace'
  method: string
  path: string
  /** In milliseconds of virtual time. */
  sentAt: number
  /** Undefined while the request is open or its answer is not read. */
  end?: RequestEnd
}

/** The end of a request: the answer that came, or the code of the failure; `aborted` if the client gave it up. */
export interface RequestEnd {
  at: number
  status?: number | undefined
  /** The wait that the answer asks for. */
  retryAfterMs?: number | undefined
  failure?: string | undefined
}

/** The requests and the timers of a client, seen from outside. */
export interface Observed {
  clock: Required<Clock>
  fetch: FetchLike
  requests: readonly ObservedRequest[]
  /** The number of timers that are set. */
  timers(): number
}

/** Count the timers of a client, and note its requests. */
export function observe(clock: Required<Clock>, fetch: FetchLike): Observed {
  const requests: ObservedRequest[] = []
  let timers = 0
  return {
    requests,
    timers: () => timers,
    clock: {
      ...clock,
      after(ms, act) {
        timers++
        let isSet = true
        const unset = () => {
          if (isSet) timers--
          isSet = false
        }
        const cancel = clock.after(ms, () => {
          unset()
          act()
        })
        return () => {
          unset()
          cancel()
        }
      },
    },
    async fetch(url, init) {
      const { pathname } = new URL(url)
      const surface = pathname.startsWith('/public/') ? 'workspace' : 'annotation'
      const call = init.headers['x-call'] ?? ''
      const request: ObservedRequest = { call, surface, method: init.method, path: pathname, sentAt: clock.monotonic() }
      requests.push(request)
      const end = (how: Omit<RequestEnd, 'at'>) => {
        request.end ??= { at: clock.monotonic(), ...how }
      }
      init.signal.addEventListener('abort', () => end({ failure: 'aborted' }), { once: true })
      try {
        return withObservedBody(await fetch(url, init), end)
      } catch (error) {
        end({ failure: codeOf(error) })
        throw error
      }
    },
  }
}

/** The same response; `end` is called once its body is read or given up. */
function withObservedBody(response: FetchResponse, end: (how: Omit<RequestEnd, 'at'>) => void): FetchResponse {
  const { status, statusText, headers } = response
  const answer = { status, retryAfterMs: retryAfterOf(headers) }
  const body = response.body as ReadableStream<Uint8Array> | null
  if (!body) {
    end(answer)
    return response
  }
  const reader = body.getReader()
  const observed = {
    async read() {
      try {
        const read = await reader.read()
        if (read.done) end(answer)
        return read
      } catch (error) {
        // An error answer of the service counts as a whole, whatever of its text is missing.
        end(status >= 300 && status < 500 ? answer : { ...answer, failure: codeOf(error) })
        throw error
      }
    },
    cancel() {
      end({ ...answer, failure: 'cancelled' })
      return reader.cancel()
    },
  }
  return { status, statusText, headers, body: { getReader: () => observed } }
}

const codeOf = (error: unknown): string => {
  const { code, cause } = Object(error)
  return cause ? codeOf(cause) : String(code ?? error)
}

function retryAfterOf(headers: Iterable<[string, string]>): number | undefined {
  const { 'retry-after': text, date } = Object.fromEntries(headers)
  if (text === undefined) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.parse(date ?? '')
  return ms > 0 ? ms : undefined
}
