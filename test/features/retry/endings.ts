import type { CallOptions, ClientEvent, SvcClient } from '@svc/client'

/** The arguments of `run`. */
export interface Given {
  svc: SvcClient
  projectId: string
  /** Its signal goes with the call. */
  stop: AbortController
}

/** One way for a call to end: how it is made, and when its caller stops it, if so. */
export interface Ending {
  run(given: Given): Promise<unknown>
  /** The caller stops after this event. */
  stopsAfter?: (events: ClientEvent[]) => boolean
  /** The caller stops once the server has got so far with it. */
  stopsAt?: 'connected' | 'held'
}

/** The reason of every stop. */
export const enough = new Error('enough')

const get =
  (options: CallOptions = {}): Ending['run'] =>
  ({ svc, projectId, stop }) =>
    svc.projects.get(projectId, { signal: stop.signal, ...options })

const upload =
  (characters: number, options: CallOptions = {}): Ending['run'] =>
  ({ svc, projectId, stop }) => {
    const turns = Array.from({ length: 5 }, () => ({ role: 'user' as const, content: 'x'.repeat(characters / 5) }))
    return svc.transcripts.upload(projectId, { name: 'A conversation', turns }, { signal: stop.signal, ...options })
  }

const waits = (because: string, times = 1): Pick<Ending, 'stopsAfter'> => ({
  stopsAfter: (events) => events.filter((event) => event.type === 'wait' && event.because === because).length >= times,
})

/** The first search begins at once. */
const atOnce: CallOptions = { retry: { baseMs: 0 } }

/** A process of its own has loaded its fetch and sent the request by then, on a busy machine too. */
const sentMs = 1_000

/** Every way, without a word of servers, so that a process of its own can take it. */
export const endings = {
  success: { run: get() },
  refusal: { run: get() },
  'a refusal of 8 MB': { run: get() },
  'nobody there': { run: get({ retry: { baseMs: 1 } }) },
  'time-out while waiting': { run: get({ timeoutMs: sentMs, retry: false }) },
  'time-out while reading': { run: get({ timeoutMs: sentMs, retry: false }) },
  'deadline while waiting': { run: get({ deadlineMs: sentMs }) },
  'a wait beyond the deadline': { run: get({ deadlineMs: 5_000 }) },
  'stop before': {
    run: (given) => {
      given.stop.abort(enough)
      return get()(given)
    },
  },
  'stop while connecting': { run: get(), stopsAt: 'connected' },
  'stop while uploading': { run: upload(5_000_000), stopsAt: 'held' },
  'stop while waiting': { run: upload(5), stopsAt: 'held' },
  'stop while reading': { run: get(), stopsAt: 'held' },
  'stop while backing off': { run: get({ retry: { baseMs: 8_000 } }), ...waits('back_off') },
  'stop while queued at the gate': {
    async run(given) {
      const first = get()(given)
      first.catch(() => {})
      while (!given.svc.rateLimits().workspace.closedUntil) await new Promise((resolve) => setImmediate(resolve))
      await get()(given)
    },
    ...waits('rate_limited', 2),
  },
  'stop between two looks': { run: upload(5, atOnce), ...waits('reconciling') },
  'stop during a look': { run: upload(5, atOnce), stopsAt: 'held' },
  'stop between pages': {
    async run({ svc, stop }) {
      for await (const _ of svc.projects.all({ limit: 1 }, { signal: stop.signal })) stop.abort(enough)
    },
  },
  'break between pages': {
    async run({ svc, stop }) {
      for await (const _ of svc.projects.all({ limit: 1 }, { signal: stop.signal })) break
    },
  },
} satisfies Record<string, Ending>

export type EndingName = keyof typeof endings

/** The ending of that name. */
export const endingOf = (name: EndingName): Ending => endings[name]
