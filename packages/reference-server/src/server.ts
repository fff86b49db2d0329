import type { Annotator } from './annotator.js'
import { patterns } from './annotator-patterns.js'
import { structural } from './annotator-structural.js'
import { type Base, basesOf, locate, pathsOf, sorted } from './bases.js'
import { type Clock, systemClock } from './clock.js'
import { createFetch, type Fetch } from './fetch-edge.js'
import { type IdSource, seededIds } from './ids.js'
import { type JournalEntry, note } from './journal.js'
import { type Listening, type ListenOptions, listen } from './listen.js'
import { operations } from './operations/index.js'
import type { RateLimits } from './rate-limit.js'
import { defaultReadings, type Readings } from './readings.js'
import { createAnswerer } from './route.js'
import { routeTable } from './route-table.js'
import { plant, referenceWorkspace, type Seed } from './seed.js'
import type { HealthResponse, Transcript } from './types.js'
import { World } from './world.js'

/** Everything about a server that may be chosen. */
export interface ServerOptions {
  /** Base URL of the annotation surface. Default `http://svc.test`. */
  baseUrl?: string
  /** Base URL of the workspace surface. Default: `baseUrl` and `/public/api/v1`. */
  publicBaseUrl?: string
  /** What it knows at the start. Default: one workspace, and `referenceKey` with full access. */
  seed?: Seed
  /** Default: the time of the machine. */
  clock?: Clock
  /** Default: `seededIds()`, the same ids in every run. */
  ids?: IdSource
  /** A fixed window for each key on each surface. Default: none. */
  limits?: RateLimits
  /** The registry, in place of `structural` and `patterns`. */
  annotators?: readonly Annotator[]
  /** Where the interface leaves a choice; see `defaultReadings`. */
  readings?: Partial<Readings>
  /** What `/health` says. Default `lambda`. */
  substrate?: HealthResponse['substrate']
  /** Submits the job of an uploaded transcript; false gives `processing_status: error`. Default: true. */
  submit?: (transcript: Transcript) => boolean
  /** How many requests the journal keeps. Default 1000. */
  journalSize?: number
  /** Told of an error inside an operation or an annotator; the caller sees a 500 without it. Default: nothing. */
  onError?: (error: unknown) => void
}

/** Both surfaces over one world. */
export interface ReferenceServer {
  readonly baseUrl: string
  readonly publicBaseUrl: string
  /** Answers a Request in process, without a port: `createClient({ fetch: server.fetch })`. */
  readonly fetch: Fetch
  /** Serves over HTTP on loopback; needs Node. May be called more than once. */
  listen(options?: ListenOptions): Promise<Listening>
  /** All state; to be read, or set up. */
  readonly world: World
  /** The latest requests of all edges, oldest first. */
  readonly requests: readonly JournalEntry[]
  /** Whether a URL stands under one of the server's bases. */
  owns(url: string): boolean
}

/** The annotators of a server that is given none. */
export const defaultAnnotators: readonly Annotator[] = [structural, patterns]

/** Makes a server; nothing listens until `listen` is called. */
export function createServer(options: ServerOptions = {}): ReferenceServer {
  const { baseUrl = 'http://svc.test', clock = systemClock, seed = {}, journalSize = 1000 } = options
  const { publicBaseUrl = `${baseUrl.replace(/\/+$/, '')}/public/api/v1`, limits, onError = () => {} } = options
  const { annotators = defaultAnnotators, substrate = 'lambda', ids = seededIds() } = options
  const readings = { ...defaultReadings, ...options.readings }
  const workspace = seed.workspaces?.[0] ?? referenceWorkspace
  const world = new World({ clock, ids, workspace, ...(options.submit && { submit: options.submit }) })
  plant(world, seed)

  const requests: JournalEntry[] = []
  const answer = createAnswerer({
    server: { world, clock, readings, annotators, substrate },
    find: routeTable(operations(readings)),
    limits,
    note: (entry) => note(requests, entry, journalSize),
    onError,
  })

  let bases: readonly Base[] = basesOf(baseUrl, publicBaseUrl)
  return {
    baseUrl,
    publicBaseUrl,
    world,
    requests,
    fetch: createFetch(answer, () => bases),
    owns: (url) => locate(bases, url) !== undefined,
    async listen(listenOptions = {}) {
      const listening = await listen(answer, pathsOf(baseUrl, publicBaseUrl), listenOptions)
      const added = basesOf(listening.baseUrl, listening.publicBaseUrl)
      bases = sorted([...bases, ...added])
      const close = async () => {
        bases = bases.filter((base) => !added.includes(base))
        await listening.close()
      }
      return { ...listening, close }
    },
  }
}
