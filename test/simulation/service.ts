import {
  type Ambiguities,
  type Change,
  createReferenceServer,
  type RateLimits,
  referenceKey,
  type Store,
  seededIds,
} from '@svc/reference-server'
import { type Mask, masked } from './ambiguities.js'
import type { Choices } from './choices.js'
import { createNetwork, type Network, networkError, proxyAnswer } from './network.js'
import type { Process, Scheduler } from './scheduler.js'

type Server = ReturnType<typeof createReferenceServer>

/** The service of a world: the reference server behind a network, and what others do with it. */
export interface Service extends Network {
  /** Another one after each restart. */
  readonly server: Server
  project: string
  /** The ids of the transcripts that others have stored, also of those that they have removed. */
  readonly ofOthers: ReadonlySet<string>
  /** How often the service died, others wrote or removed something, and a key was revoked. */
  readonly events: { deaths: number; writes: number; removals: number; revocations: number }
}

const baseUrl = 'https://svc.test'
/** The wall clock of the service at the start of a world. */
export const start = Date.parse('2026-01-01T00:00:00Z')

const minute = 60_000
/** The key of the other programs: its quota is its own. */
const keyOfOthers = 'sk-service-api03-others'

export interface ServiceOptions {
  ambiguities: Partial<Ambiguities>
  /** How it hides stamps. Default: not at all. */
  mask?: Mask
  /** Asked at each request: the probability of a fault. */
  faultRate(): number
  /** True while the service may die, others write and remove, and keys are revoked. */
  isDisturbed(): boolean
  limits?: RateLimits | undefined
  /** How far its wall clock is ahead of that of the world, in milliseconds, at present. */
  clockAheadMs?(): number
}

export function createService(scheduler: Scheduler, choices: Choices, options: ServiceOptions): Service {
  const { ambiguities, mask = 'none', faultRate, isDisturbed, limits, clockAheadMs = () => 0 } = options
  const store = createMemoryStore()
  const ids = seededIds()
  const ofOthers = new Set<string>()
  const events = { deaths: 0, writes: 0, removals: 0, revocations: 0 }
  const rates = drawRates(choices)
  let process: Process = scheduler.start('service')
  let server = startServer()
  let isDown = false
  const { id: project } = server.world.createProject({ name: 'P' }).record
  for (let rest = choices.pick([0, 4, 12, 30] as const, 0.6); rest > 0; rest--) {
    const { record } = server.world.createTranscript(projectOf(), unrelated(rest))
    ofOthers.add(record.id)
  }

  function startServer(): Server {
    const clock = {
      now: () => start + scheduler.elapsed + clockAheadMs(),
      monotonic: () => scheduler.elapsed,
      after: (ms: number, act: () => void) => process.after(ms, act),
    }
    const keys = [{ key: referenceKey }, { key: keyOfOthers }]
    return createReferenceServer({
      ...{ clock, baseUrl, ambiguities, store, ids, seed: { keys }, journalSize: 1, onError: raise },
      ...(limits && { limits }),
    })
  }

  function projectOf() {
    const found = server.world.project(project)
    if (!found) throw new Error('The project is lost.')
    return found
  }

  /** Its process ends, and what it has not stored is lost. It comes back with the rest. */
  function restart(): void {
    scheduler.end(process)
    process = scheduler.start('service')
    server = startServer()
  }

  function die(): void {
    events.deaths++
    isDown = true
    scheduler.note('service: DIES')
    restart()
    process.after(choices.pick([1_000, 20_000, 2 * minute] as const), () => {
      scheduler.note('service: is back')
      isDown = false
    })
  }

  /** Others store something, with the same content as a program of the world or not, or remove what they stored. */
  async function othersAct(request: Request): Promise<void> {
    const { pathname } = new URL(request.url)
    const isUpload = request.method === 'POST' && pathname.endsWith('/transcripts')
    const act = choices.pick(['write', 'remove', 'copy', 'copy with a stamp'] as const, 0.4)
    if (act === 'remove') return remove()
    const isCopy = isUpload && act !== 'write'
    events.writes++
    scheduler.note(`others: ${isCopy ? act : 'write'}`)
    const body = isCopy ? copyOf(await request.clone().json(), act === 'copy with a stamp') : unrelated(-events.writes)
    const before = new Set([...server.world.allTranscripts()].map(({ record }) => record.id))
    const headers = { authorization: `Bearer ${keyOfOthers}`, 'content-type': 'application/json' }
    const url = `${server.publicBaseUrl}/projects/${project}/transcripts`
    await server.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }))
    for (const { record } of server.world.allTranscripts()) {
      if (before.has(record.id)) continue
      ofOthers.add(record.id)
    }
  }

  function remove(): void {
    const left = server.world.transcripts(project).filter(({ record }) => ofOthers.has(record.id))
    const gone = left[choices.oneOf(left.length)]
    if (!gone) return
    events.removals++
    scheduler.note(`others: remove ${gone.record.id}`)
    store.remove(gone.record.id)
    restart()
  }

  function revoke(): void {
    if (server.world.key(referenceKey)?.revoked) return
    events.revocations++
    scheduler.note('service: the key is revoked')
    server.world.revoke(referenceKey)
    network.after(choices.pick([1_000, minute, 5 * minute] as const), () => {
      scheduler.note('service: the key is restored')
      server.world.restore(referenceKey)
    })
  }

  const answerOf = async (request: Request) => masked(await server.fetch(request), mask)

  async function answers(request: Request): Promise<Response> {
    if (isDown) {
      const how = choices.pick(['refused', '502', '503'] as const)
      if (how === 'refused') throw networkError('ECONNREFUSED')
      return proxyAnswer(how, choices)
    }
    if (!isDisturbed()) return answerOf(request)
    if (rates.others > 0 && choices.chance(rates.others)) await othersAct(request)
    if (rates.revocation > 0 && choices.chance(rates.revocation)) revoke()
    const death =
      rates.death > 0 && choices.chance(rates.death) ? choices.pick(['before', 'after', 'answered'] as const) : 'none'
    if (death === 'before') {
      die()
      throw networkError('ECONNRESET')
    }
    const response = await answerOf(request)
    if (death === 'none') return response
    // The store now has the change. The service may die before it answers, or right after.
    die()
    if (death === 'answered') return response
    throw networkError('ECONNRESET')
  }

  const network = scheduler.start('service (from outside)')
  return {
    ...createNetwork(scheduler, choices, { answers, faultRate }),
    get server() {
      return server
    },
    project,
    ofOthers,
    events,
  }
}

/** How often things happen at the service, for each request. */
const drawRates = (choices: Choices) => ({
  death: choices.pick([0, 0.01, 0.05] as const, 0.5),
  others: choices.pick([0, 0.05, 0.25] as const, 0.5),
  revocation: choices.pick([0, 0.005, 0.02] as const, 0.7),
})

const unrelated = (number: number) => ({
  name: `Of others ${number}`,
  turns: [{ role: 'user' as const, content: `of others ${number}` }],
})

/** The same upload by another program, which does not stamp it, or stamps it as its own. */
function copyOf(body: { metadata?: { svc?: object } }, isStamped: boolean): object {
  const { svc: _, ...metadata } = body.metadata ?? {}
  const svc = { key: '0'.repeat(32), occurrence: 1, write: '0'.repeat(32) }
  return { ...body, metadata: { ...metadata, ...(isStamped && { svc }) } }
}

/** A store that survives the process of its service. */
function createMemoryStore(): Store & { remove(id: string): void } {
  const rows = new Map<string, Change>()
  const write = (changes: readonly Change[]) => {
    for (const change of changes) {
      const name = `${change.table} ${change.id}`
      if (change.value === null) rows.delete(name)
      else rows.set(name, change)
    }
  }
  return {
    load: () => rows.values(),
    write,
    replace(changes) {
      rows.clear()
      write(changes)
    },
    close() {},
    /** Remove a transcript. */
    remove(id) {
      for (const table of ['transcripts', 'turns', 'annotations']) rows.delete(`${table} ${id}`)
    },
  }
}

function raise(error: unknown): never {
  throw error
}
