import type { FetchLike } from '@svc/client'
import { createReferenceServer, type Readings } from '@svc/reference-server'
import type { Choices } from './choices.js'
import type { Process, Scheduler } from './scheduler.js'

/** What can go wrong with one request. */
export const faults = [
  'none',
  'refused',
  'lost before',
  'stalled before',
  'late',
  '500 before',
  '503 before',
  '504 before',
  '429 before',
  'lost after',
  'stalled after',
  '500 after',
  '503 after',
  '504 after',
  'cut off after',
] as const
export type Fault = (typeof faults)[number]

/** The service of a world: the reference server, and a network on which requests and answers get lost. */
export interface Service {
  server: ReturnType<typeof createReferenceServer>
  project: string
  /** How often each fault happened. */
  readonly happened: Partial<Record<Fault, number>>
  /** The network as a process sees it. */
  fetchOf(process: Process): FetchLike
}

const baseUrl = 'https://svc.test'
/** The wall clock of the service at the start of a world. */
export const start = Date.parse('2026-01-01T00:00:00Z')

export interface ServiceOptions {
  readings: Partial<Readings>
  /** Asked at each request: the probability of a fault. */
  faultRate(): number
}

export function createService(
  scheduler: Scheduler,
  choices: Choices,
  { readings, faultRate }: ServiceOptions,
): Service {
  const own = scheduler.start('service')
  const clock = {
    now: () => start + scheduler.elapsed,
    monotonic: () => scheduler.elapsed,
    after: (ms: number, act: () => void) => own.after(ms, act),
  }
  const server = createReferenceServer({ clock, baseUrl, readings, journalSize: 1, onError: raise })
  const { id: project } = server.world.createProject({ name: 'P' }).record
  const happened: Partial<Record<Fault, number>> = {}

  function draw(): Fault {
    const fault = faults[choices.oneOf(faults.length, 1 - faultRate())] ?? 'none'
    happened[fault] = (happened[fault] ?? 0) + 1
    return fault
  }

  const fetchOf =
    (process: Process): FetchLike =>
    (input, init) =>
      new Promise((resolve, reject) => {
        const { signal, ...rest } = init ?? {}
        const calledAt = scheduler.elapsed
        const aborted = () => reject(signal?.reason)
        if (signal?.aborted) return aborted()
        signal?.addEventListener('abort', aborted)
        const request = new Request(String(input), rest as RequestInit)
        const what = `${request.method} ${request.url.slice(baseUrl.length)}`
        const answer = (name: string, act: () => void) => void process.later(name, act)
        void process.later(what, async () => {
          if (signal?.aborted) return
          const fault = draw()
          if (fault !== 'none') scheduler.note(`network: ${fault} ${what}`)
          // Whoever waits for an answer that does not come may lose patience.
          const stalls = fault === 'late' || fault.startsWith('stalled')
          if (stalls && choices.chance(0.2)) own.after(1_000, () => scheduler.kill(process))
          if (fault === 'stalled before') return
          // It arrives within the time-out of its attempt, which may have been given up by then.
          if (fault === 'late') {
            const lateMs = Math.min(choices.pick([1_000, 20_000, 59_000]), calledAt + 59_000 - scheduler.elapsed)
            return void own.after(lateMs, () => void server.fetch(request))
          }
          if (fault === 'refused') return reject(networkError('ECONNREFUSED'))
          if (fault === 'lost before') return reject(networkError('ECONNRESET'))
          if (fault.endsWith(' before')) return resolve(errorAnswer(Number.parseInt(fault, 10)))
          const response = await server.fetch(request)
          if (fault === 'stalled after') return
          answer(`answer of ${what}`, () => {
            if (fault === 'lost after') reject(networkError('ECONNRESET'))
            else if (fault === 'cut off after') resolve(cutOff(response))
            else if (fault.endsWith(' after')) resolve(errorAnswer(Number.parseInt(fault, 10)))
            else resolve(response)
          })
        })
      })
  return { server, project, happened, fetchOf }
}

const networkError = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

function errorAnswer(status: number): Response {
  const body = { error: { message: 'a fault', type: 'fault', code: status } }
  const headers = { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '7' }) }
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

function raise(error: unknown): never {
  throw error
}
