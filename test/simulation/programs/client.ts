import { getEventListeners } from 'node:events'
import {
  AmbiguousWriteError,
  type CallOptions,
  type ClientEvent,
  type Clock,
  createClient,
  type FetchLike,
  type SvcClient,
} from '@svc/client'
import { referenceKey } from '@svc/reference-server'
import type { Choices } from '../choices.js'
import { createMachine, type ProcessEnvironment } from '../machine.js'
import type { Service } from '../service.js'
import { contentOf } from '../transcripts.js'
import { brokenCall, brokenWindows, type EndedCall } from './call-promises.js'
import { type Call, drawCalls, idOf } from './calls.js'
import { type Observed, observe } from './observed.js'
import type { DrawScenario, Ending, Program, World } from './program.js'
import { brokenQuota, drawQuota, type Quota } from './quota.js'

/** A write, and its end; without one, its process was killed. */
interface Write {
  call: Call
  end?: { id: string } | 'not stored' | 'unknown'
}

const minute = 60_000

/** One or two processes with calls of every retry class side by side. */
export const drawClientCalls: DrawScenario = (world) => {
  const { choices, service } = world
  const broken: string[] = []
  const writes: Write[] = []
  const names = choices.chance(0.3) ? ['first', 'second'] : ['first']
  const quota = drawQuota(choices)
  // Workers that read as fast as they can, through several windows.
  const isBusy = Number.isFinite(quota.requests) && choices.chance(0.1)
  const runs = new Set<string>()
  const programs = names.map((name): Program => {
    const ahead = choices.pick([0, 2_000, -2_000, minute, -minute] as const, 0.7)
    const machine = createMachine(name, choices, ahead)
    return {
      name,
      machine,
      run: (own) =>
        isBusy ? runReads(own, world, quota, { runs, broken }) : runCalls(own, world, quota, writes, broken),
    }
  })
  return {
    programs,
    broken(ends) {
      const areCalm = isBusy && programs.every((each) => ends.get(each)?.text === 'calm') && runs.size === names.length
      return [...broken, ...brokenWrites(service, writes), ...(areCalm ? brokenQuota(quota, names.length) : [])]
    },
  }
}

/** A client in its process, and what is known of its calls. */
interface Session {
  world: World
  own: ProcessEnvironment
  clock: Required<Clock>
  client: SvcClient
  observed: Observed
  /** Its key comes from a function that may be slow. */
  hasSlowKey: boolean
  /** Aborts several calls. */
  shared: AbortController
  signals: Set<AbortSignal>
  writes: Write[]
  broken: string[]
}

async function runCalls(
  own: ProcessEnvironment,
  world: World,
  quota: Quota,
  writes: Write[],
  broken: string[],
): Promise<Ending> {
  const { choices, service } = world
  const { process } = own
  const calls = drawCalls(process.name, choices, service).map((call) => ({ call, limits: drawLimits(choices) }))
  const limits = new Map(calls.map(({ call, limits }) => [call.name, limits]))
  const clock = fullClock(own)
  const observed = observe(
    clock,
    quota.limit(answering(world, own, limits), process, () => world.scheduler.elapsed),
  )
  const { baseUrl, publicBaseUrl } = service.server
  const hasSlowKey = choices.chance(0.1)
  const client = createClient({
    ...{ baseUrl, publicBaseUrl, clock: observed.clock, fetch: observed.fetch, environment: {} },
    apiKey: hasSlowKey ? () => process.later('key', () => referenceKey) : referenceKey,
  })
  const shared = new AbortController()
  process.after(choices.pick([3_000, 20, 30_000] as const), () => shared.abort(new Error('abort of several calls')))
  const signals = new Set<AbortSignal>()
  const session = { world, own, clock, client, observed, hasSlowKey, shared, signals, writes, broken }

  const ended = await Promise.all(calls.map(({ call, limits }) => perform(session, call, limits)))
  broken.push(...brokenLeftovers(observed, signals), ...brokenWindows(observed.requests))
  for (const each of ended) {
    const requests = observed.requests.filter(({ call }) => call === each.name)
    broken.push(...brokenCall(each, requests, observed.requests))
  }
  // Whatever is still under way arrives.
  await passed(process, 2 * minute)
  return { text: `${ended.length} calls`, state: 'done' }
}

/** Read a project again and again, eight reads at a time. `calm` if nothing but the quota refused a request. */
async function runReads(
  own: ProcessEnvironment,
  { service, scheduler }: World,
  quota: Quota,
  { runs, broken }: { runs: Set<string>; broken: string[] },
): Promise<Ending> {
  const clock = fullClock(own)
  const { baseUrl, publicBaseUrl } = service.server
  const observed = observe(
    clock,
    quota.limit(service.fetchOf(own.process), own.process, () => scheduler.elapsed),
  )
  const { fetch } = observed
  const client = createClient({ baseUrl, publicBaseUrl, apiKey: referenceKey, clock, fetch, environment: {} })
  runs.add(own.process.name)
  let left = 8 * quota.requests
  const work = async () => {
    while (left-- > 0) await client.projects.get(service.project).catch(() => {})
  }
  await Promise.all(Array.from({ length: 8 }, work))
  broken.push(...brokenWindows(observed.requests))
  const refused = quota.windows.reduce((sum, window) => sum + window.refused, 0)
  const isCalm = observed.requests.every(({ end }) => end?.status === 200 || end?.status === 429)
  const isOwn = observed.requests.filter(({ end }) => end?.status === 429).length <= refused
  return { text: isCalm && isOwn ? 'calm' : 'disturbed', state: 'done' }
}

/** Make a call, abort it when that was drawn, and note its end. */
async function perform(session: Session, call: Call, { delayMs, abort, ...options }: Limits): Promise<EndedCall> {
  const { clock, own, shared, signals, writes } = session
  const { choices } = session.world
  const controller = abort === 'shared' ? shared : new AbortController()
  const { signal } = controller
  signals.add(signal)
  await passed(own.process, delayMs)
  const startedAt = clock.monotonic()
  let aborted: EndedCall['aborted']
  function noteAbort() {
    aborted = { at: clock.monotonic(), reason: signal.reason, isLate: false }
  }
  signal.addEventListener('abort', noteAbort)
  const act = (isLate = false) => {
    controller.abort(new Error(`abort of ${call.name}`))
    if (aborted) aborted.isLate = isLate
  }
  if (typeof abort === 'number') own.process.after(abort, act)
  if (abort === 'before') act()
  if (signal.aborted) noteAbort()
  const told: ('no' | 'maybe')[] = []
  let operation: string | undefined
  const onEvent = (event: ClientEvent) => {
    // The queries of a search have events of their own.
    operation ??= event.operation
    if (event.type === 'aborted' && event.operation === operation) told.push(event.sent)
    if (event.type === abort) act(event.type === 'response' || event.type === 'failure')
  }
  const write: Write | undefined = call.stores === undefined ? undefined : { call }
  if (write) writes.push(write)
  const client = choices.chance(0.2) ? session.client.with({ stamp: true }) : session.client
  const hasSignal = abort !== 'none' || choices.chance(0.5)
  const headers = { 'x-call': call.name }
  const answer = call.send(client, { ...options, headers, onEvent, ...(hasSignal && { signal }) })
  const end = await answer.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  const endedAt = clock.monotonic()
  signal.removeEventListener('abort', noteAbort)
  noteEnd(session, { call, write, end, told, isAbort: 'error' in end && aborted?.reason === end.error })
  return { ...call, startedAt, endedAt, aborted, ...given(call, options), hasOwnFailure: session.hasSlowKey, end }
}

interface NotedEnd {
  call: Call
  write: Write | undefined
  end: EndedCall['end']
  /** The field `sent` of each `aborted` event of the call. */
  told: readonly ('no' | 'maybe')[]
  /** The call rejected with the reason of the abort. */
  isAbort: boolean
}

function noteEnd({ broken }: Session, { call, write, end, told, isAbort }: NotedEnd): void {
  const { name } = call
  if (isAbort && told.length !== 1) broken.push(`an abort is told once, not ${told.length} times: ${name}`)
  if ('value' in end && !call.isTrue(end.value))
    broken.push(`a call that resolves is true: ${name} is ${JSON.stringify(end.value)}`)
  if (!write) return
  if ('value' in end) write.end = { id: idOf(end.value) ?? name }
  else if (isAbort) write.end = told[0] === 'maybe' ? 'unknown' : 'not stored'
  else write.end = end.error instanceof AmbiguousWriteError ? 'unknown' : 'not stored'
}

/** The limits of a call, with the defaults of the client. */
function given({ retryClass }: Call, { retry = {}, deadlineMs = 10 * minute, timeoutMs }: Partial<Limits>) {
  const { attempts = 3, maxRetryAfterMs = minute } = retry === false ? { attempts: 1, maxRetryAfterMs: 0 } : retry
  return {
    deadlineMs,
    timeoutMs: timeoutMs ?? (retryClass === 'compute' ? 4 * minute : minute),
    attempts,
    maxRetryAfterMs,
  }
}

const fullClock = ({ clock: { now, monotonic = now, random = () => 0, after } }: ProcessEnvironment) => ({
  ...{ now, monotonic, random, after },
})

const passed = (process: ProcessEnvironment['process'], ms: number) =>
  new Promise<void>((resolve) => void process.after(ms, resolve))

/** "No timer, listener, socket or unread body is left behind." */
function brokenLeftovers(observed: Observed, signals: ReadonlySet<AbortSignal>): string[] {
  const broken: string[] = []
  if (observed.timers() > 0) broken.push(`no timer is left behind, not ${observed.timers()}`)
  const listeners = [...signals].flatMap((signal) => getEventListeners(signal, 'abort')).length
  if (listeners > 0) broken.push(`no listener is left behind, not ${listeners}`)
  return broken
}

interface Limits extends Pick<CallOptions, 'timeoutMs' | 'deadlineMs' | 'reconcile' | 'stamp'> {
  retry?: false | { attempts?: number; maxRetryAfterMs?: number } | undefined
  /** The wait before the call. */
  delayMs: number
  /** After so many milliseconds, or at the first event of a type. */
  abort: number | 'none' | 'shared' | 'before' | ClientEvent['type']
}

const drawLimits = (choices: Choices): Limits => ({
  timeoutMs: choices.pick([undefined, 5_000, 1_000, 2 * minute] as const, 0.7),
  deadlineMs: choices.pick([undefined, 3_000, 30_000, 3 * minute] as const, 0.6),
  retry: choices.pick([undefined, false, { attempts: 1 }, { attempts: 5 }, { maxRetryAfterMs: 5_000 }] as const, 0.6),
  reconcile: choices.pick([undefined, false] as const, 0.8),
  stamp: choices.pick([undefined, false] as const, 0.6),
  delayMs: choices.pick([0, 10, 5_000, 20_000] as const, 0.4),
  abort: choices.pick<Limits['abort']>(
    ['none', 10, 700, 5_000, 40_000, 'shared', 'before', 'wait', 'request', 'response', 'failure'],
    0.7,
  ),
})

/**
 * The network of a process. A request arrives within the time-out of its attempt, and some refusals ask for another wait
 * than the service does.
 */
function answering(
  { service, choices, scheduler }: World,
  { process }: ProcessEnvironment,
  limits: ReadonlyMap<string, Limits>,
): FetchLike {
  const start = service.server.world.project(service.project)?.record.created_at ?? ''
  return async (url, init) => {
    const { timeoutMs = minute } = limits.get(init.headers['x-call'] ?? '') ?? {}
    const response = await service.fetchOf(process, Math.min(timeoutMs, minute) - 1_000)(url, init)
    if (process.isDead || (response.status !== 429 && response.status !== 503)) return response
    const form = choices.pick(['as it is', 'seconds', 'date', 'too long', 'none', 'not a time'] as const, 0.5)
    if (form === 'as it is') return response
    const headers = new Map(response.headers)
    const now = Date.parse(start) + scheduler.elapsed
    const dateAfter = (ms: number) => new Date(now + ms).toUTCString()
    headers.delete('retry-after')
    headers.set('date', dateAfter(0))
    if (form !== 'none')
      headers.set(
        'retry-after',
        { seconds: '11', date: dateAfter(13_000), 'too long': '200', 'not a time': 'soon' }[form],
      )
    return { status: response.status, statusText: '', headers, body: response.body }
  }
}

/** "Never two transcripts, and never a lost one without an error that says so." */
function brokenWrites({ server, project, ofOthers }: Service, writes: readonly Write[]): string[] {
  const stored = new Map<string, number>()
  const add = (text: string) => stored.set(text, (stored.get(text) ?? 0) + 1)
  for (const { record, turns } of server.world.transcripts(project))
    if (!ofOthers.has(record.id)) add(contentOf({ turns: [...turns] }))
  for (const { record } of server.world.projects()) add(record.name)
  const broken: string[] = []
  const ids = writes.flatMap(({ end }) => (typeof end === 'object' ? end.id : []))
  if (new Set(ids).size < ids.length) broken.push('two calls never resolve to one record')
  for (const text of new Set(writes.map(({ call }) => call.stores as string))) {
    const ends = writes.flatMap(({ call, end }) => (call.stores === text ? [end ?? 'unknown'] : []))
    const count = stored.get(text) ?? 0
    const most = ends.filter((end) => end !== 'not stored').length
    if (count <= most) continue
    broken.push(
      ends.includes('not stored')
        ? `a write that rejects is not stored unless its error says so: "${text}"`
        : `nothing is stored twice: "${text}" is stored ${count} times for ${most} calls`,
    )
  }
  return broken
}
