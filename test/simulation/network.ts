import type { FetchLike } from '@svc/client'
import type { Choices } from './choices.js'
import type { Process, Scheduler } from './scheduler.js'

/** The faults of one request: before it reaches the service, or after the service has answered it. */
export const faults = [
  'none',
  'refused',
  'lost before',
  'stalled before',
  'late',
  '408 before',
  '500 before',
  '502 before',
  '503 before',
  '504 before',
  '429 before',
  'page before',
  'lost after',
  'stalled after',
  '408 after',
  '500 after',
  '502 after',
  '503 after',
  '504 after',
  'page after',
  'cut off after',
] as const
export type Fault = (typeof faults)[number]

/** The service at the end of the network. Rejects if no service listens, or if the service dies before it answers. */
export type Answers = (request: Request) => Promise<Response>

export interface Network {
  /** How often each fault happened. */
  readonly happened: Partial<Record<Fault, number>>
  /** Requests that were sent although the service had asked to wait, as sentences. */
  readonly early: readonly string[]
  /** The network as a process sees it. `latestMs`: a request that is late arrives so long after it was sent, at most. */
  fetchOf(process: Process, latestMs?: number): FetchLike
}

/** A network on which requests and answers get lost. `faultRate`: asked at each request for the probability of a fault. */
export function createNetwork(
  scheduler: Scheduler,
  choices: Choices,
  { answers, faultRate }: { answers: Answers; faultRate(): number },
): Network {
  const own = scheduler.start('network')
  const happened: Partial<Record<Fault, number>> = {}
  const early: string[] = []

  /** Who refuses one request for its rate refuses others of the same moment, each with a wait of its own. */
  let refusesUntil = 0

  function draw(): Fault {
    const isRefusing = scheduler.elapsed < refusesUntil && choices.chance(0.5)
    const fault = isRefusing ? '429 before' : (faults[choices.oneOf(faults.length, 1 - faultRate())] ?? 'none')
    if (fault === '429 before' && !isRefusing) refusesUntil = scheduler.elapsed + 1_000
    happened[fault] = (happened[fault] ?? 0) + 1
    return fault
  }

  function fetchOf(process: Process, latestMs = 59_000): FetchLike {
    const waits = createWaits()
    return (input, init) =>
      new Promise((resolve, reject) => {
        const { signal, ...rest } = init ?? {}
        const calledAt = scheduler.elapsed
        const aborted = () => reject(signal?.reason)
        if (signal?.aborted) return aborted()
        signal?.addEventListener('abort', aborted)
        const request = new Request(String(input), rest as RequestInit)
        const what = whatOf(request)
        const isEarly = waits.isEarly(request, calledAt)
        if (isEarly) early.push(`${process.name} sends ${what} at ${calledAt} ms, ${isEarly}`)
        const deliver = (name: string, act: () => void) => void process.later(name, act)
        const succeed = (response: Response) => {
          if (!signal?.aborted) waits.answered(request, response, scheduler.elapsed)
          resolve(response)
        }
        void process.later(what, async () => {
          if (signal?.aborted) return
          const fault = draw()
          if (fault !== 'none') scheduler.note(`network: ${fault} ${what}`)
          // Whoever waits for an answer that does not come may lose patience.
          const stalls = fault === 'late' || fault.startsWith('stalled')
          if (stalls && !process.wasPaused && choices.chance(0.2))
            own.after(1_000, () => process.wasPaused || scheduler.kill(process))
          if (fault === 'stalled before') return
          // It arrives within the time-out of its attempt, which may have been given up by then.
          if (fault === 'late') {
            const lateMs = Math.min(choices.pick([1_000, 20_000, 59_000]), calledAt + latestMs - scheduler.elapsed)
            return void own.after(lateMs, () => void answers(request).catch(() => {}))
          }
          if (fault === 'refused') return reject(networkError('ECONNREFUSED'))
          if (fault === 'lost before') return reject(networkError('ECONNRESET'))
          if (fault.endsWith(' before')) return succeed(proxyAnswer(fault, choices))
          const answer = await answers(request).catch((error: Error) => error)
          if (fault === 'stalled after') return
          deliver(`answer of ${what}`, () => {
            if (fault === 'lost after') reject(networkError('ECONNRESET'))
            else if (answer instanceof Error) reject(answer)
            else if (fault === 'cut off after') succeed(cutOff(answer))
            else if (fault.endsWith(' after')) succeed(proxyAnswer(fault, choices))
            else succeed(answer)
          })
        })
      })
  }
  return { happened, early, fetchOf }
}

const whatOf = ({ method, url }: Request): string => `${method} ${new URL(url).pathname}${new URL(url).search}`

/** "`Retry-After` is a floor; never early", and "a 429 makes every call of the key wait until the reset" (design, 3). */
function createWaits() {
  const waits: { surface: string; answeredAt: number; openAt: number }[] = []
  const surfaceOf = ({ url }: Request) => {
    const { pathname } = new URL(url)
    return pathname === '/health' ? undefined : pathname.startsWith('/public/') ? 'workspace' : 'annotation'
  }
  return {
    answered(request: Request, { status, headers }: Response, at: number): void {
      const surface = surfaceOf(request)
      const seconds = headers.get('retry-after')
      if (status !== 429 || surface === undefined || !/^\d+$/.test(seconds ?? '')) return
      // The clock of a machine may run a little faster than the time of the world.
      waits.push({ surface, answeredAt: at, openAt: at + Number(seconds) * 999 })
    },
    isEarly(request: Request, at: number): string | undefined {
      // A client that sends at the time of the answer may not have received it yet. The longest of several waits counts.
      const isOpen = (each: (typeof waits)[number]) => at <= each.answeredAt || at >= each.openAt
      const wait = waits.find((each) => each.surface === surfaceOf(request) && !isOpen(each))
      if (!wait) return undefined
      return `${wait.openAt - at} ms before the end of the Retry-After that it got at ${wait.answeredAt} ms`
    },
  }
}

export const networkError = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

/** The waits that proxies ask for, in seconds: answers to requests of the same moment may ask for different ones. */
const waitsOfProxies = [7, 2, 20, 45] as const

/** The answer of a proxy that does not reach the service. */
export function proxyAnswer(fault: string, choices: Choices): Response {
  if (fault.startsWith('page')) {
    return new Response('<html>Sign in to this network</html>', { headers: { 'content-type': 'text/html' } })
  }
  const status = Number.parseInt(fault, 10)
  const body = { error: { message: 'a fault', type: 'fault', code: status } }
  const asksToWait = status === 429 || (status === 503 && choices.chance(0.3))
  const headers = {
    'content-type': 'application/json',
    ...(asksToWait && { 'retry-after': String(choices.pick(waitsOfProxies)) }),
  }
  return new Response(JSON.stringify(body), { status, headers })
}

/** An answer whose body ends too early. */
function cutOff({ status, headers }: Response): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"data'))
      controller.error(networkError('UND_ERR_SOCKET'))
    },
  })
  return new Response(body, { status, headers })
}
