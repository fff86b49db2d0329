import { type AllAmbiguities, readingsIn, ServerAmbiguities } from './ambiguities/index.js'
import { type Annotator, createPipeline, patterns, structural } from './annotators/index.js'
import { type Base, basesOf, longestFirst, pathsOf, resolveTarget, withoutTrailingSlash } from './bases.js'
import { isSteered, steeredClock, systemClock } from './clock.js'
import { createControl, isControl } from './control/index.js'
import { Faults } from './faults/index.js'
import {
  type AllowedCallers,
  createFetch,
  type EdgeParts,
  type Fetch,
  type Listening,
  type ListenOptions,
  listen,
} from './http/index.js'
import type { Handler } from './http-messages.js'
import { createJournal, type Journal } from './journal/index.js'
import { checkListenOptions, checkServerOptions, type ServerOptions } from './options.js'
import { RateLimiter } from './rate-limit.js'
import { createRouter, createRouteTable, type FindRoute } from './router/index.js'
import { currentOperations, operations } from './routes/index.js'
import {
  applySeed,
  checkScripts,
  keysOf,
  readSeed,
  type Seed,
  type Snapshot,
  type SnapshotOptions,
  setClock,
  snapshotOf,
} from './snapshot/index.js'
import { type RequestViolation, Violations } from './violations/index.js'
import { referenceWorkspace, seededIds, seedWorld, World } from './world/index.js'

/** Both surfaces over one world. */
export interface ReferenceServer {
  /** Base URL of the annotation surface, as given in the options; `listen` returns its own. */
  readonly baseUrl: string
  /** Base URL of the workspace surface, with its version prefix. */
  readonly publicBaseUrl: string
  /** Answer a Request in process, without a port: `createClient({ fetch: server.fetch })`. */
  readonly fetch: Fetch
  /** Serve over HTTP on loopback. Needs Node. May be called more than once. */
  listen(options?: ListenOptions): Promise<Listening>
  /** All state, to read or to set up. */
  readonly world: World
  /** True if the world was loaded from the store; the seed is not used then. */
  readonly restored: boolean
  /** The latest requests of all edges, oldest first. */
  readonly requests: Journal
  /** The fault rules; rules may be added and removed. */
  readonly faults: Faults
  /** The ambiguities of the interface, each with its reading; they may be changed. */
  readonly ambiguities: ServerAmbiguities
  /**
   * How requests departed from the interface since the start or the last `reset`, although they were answered as the service would
   * answer: unknown fields and parameters, values out of bounds, paths that do not exist, missing keys.
   */
  violations(): readonly RequestViolation[]
  /** Restore the start: seed, limits, faults, ambiguities, annotators, journal, violations and the content of the store. The clock keeps its time. */
  reset(): void
  /** All that the server holds, as one JSON value, which is a seed, too. Requests that are being answered are not in it. */
  snapshot(options?: SnapshotOptions): Snapshot
  /**
   * Become as a snapshot or seed says, in the store, too. Without keys in it the server keeps its own, and with no steered clock
   * its time; the journal stays.
   *
   * @throws {Error} if it is invalid, with a pointer to every problem; then nothing is changed
   */
  restore(snapshot: Snapshot | Seed): void
  /**
   * Create another server with the same options and content, which shares nothing but functions and a clock that is not steered.
   * It is not kept in a store.
   */
  fork(options?: Partial<ServerOptions>): ReferenceServer
  /** Stop the pipeline and close the store. Listening servers are closed by their own `close`. */
  close(): void
  /** True if a URL is below one of the server's base URLs. */
  owns(url: string): boolean
}

/** The annotators of a server without the option `annotators`. */
export const defaultAnnotators: readonly Annotator[] = [structural, patterns]

const allRoutes = createRouteTable(operations)
const currentRoutes = createRouteTable(currentOperations)

function routesOf(ambiguities: ServerAmbiguities): FindRoute {
  return (surface, path) => (ambiguities.current.legacy ? allRoutes : currentRoutes)(surface, path)
}

/** Create a server. It listens only when `listen` is called. */
export function createServer(options: ServerOptions = {}): ReferenceServer {
  // One function: it only puts the parts of a server together.
  const { baseUrl = 'https://svc.test', clock = systemClock, seed = {}, store } = options
  const { publicBaseUrl = `${withoutTrailingSlash(baseUrl)}/public/api/v1`, limits, onError = console.error } = options
  const { annotators = defaultAnnotators, substrate = 'lambda', faultHeader = false, submit = () => true } = options
  checkServerOptions(options)
  const ambiguities = new ServerAmbiguities({ ...(options.like && readingsIn(options.like)), ...options.ambiguities })
  const workspace = seed.workspaces?.[0] ?? referenceWorkspace
  const made = { ids: 0, lists: 0 }
  const createIds = () => options.ids ?? (store ? () => crypto.randomUUID() : seededIds(1, made.ids))
  let nextId = createIds()
  const ids = () => {
    made.ids++
    return nextId()
  }
  // Those that only a test needs are there, too.
  const all = () => ambiguities.current as AllAmbiguities
  const skewMs = () => all().databaseSkewMs
  const world = new World({ clock, skewMs, ids, workspace, submit, onError, ...(store && { store }) })
  const pipeline = createPipeline(world, clock, options.pipeline ?? {}, onError)
  world.onSubmitted = pipeline.start
  const restored = !world.empty
  if (restored) for (const transcript of world.allTranscripts()) if (transcript.analysed) pipeline.start(transcript)

  const limiter = new RateLimiter(limits)
  const registry = [...annotators]
  const faults = new Faults(options.faults)
  const { journalSize = 1000, journalBytes = 16 * 2 ** 20 } = options
  const { requests, record } = createJournal({ entries: journalSize, bytes: journalBytes })
  const violations = new Violations()
  const router = createRouter({
    server: {
      ...{ baseUrl, publicBaseUrl, world, clock, annotators: registry, pipeline, substrate },
      hasControl: options.control !== undefined,
      get ambiguities() {
        return all()
      },
      countList: () => made.lists++,
    },
    findRoute: routesOf(ambiguities),
    limiter,
    faults,
    faultHeader,
    record(entry) {
      record(entry)
      violations.add(entry)
      options.onRequest?.(entry)
    },
    onError,
  })

  const parts = { world, clock, faults, limiter, ambiguities, annotators: registry, made }
  const begin = (content: Seed) => {
    world.replaceAll(() => seedWorld(world, content))
    applySeed(parts, content)
    nextId = createIds()
  }
  const clear = () => {
    Object.assign(made, { ids: 0, lists: 0 })
    nextId = createIds()
    ambiguities.reset()
    world.submit = submit
    world.submitError = false
    limiter.reset()
    registry.splice(0, registry.length, ...annotators)
    faults.reset()
  }
  const reset = () => {
    clear()
    begin(seed)
    requests.clear()
    violations.clear()
  }
  const restore = (snapshot: Seed) => {
    const content = readSeed(snapshot)
    checkScripts(annotators, content)
    const { keys = keysOf(world) } = content
    setClock(clock, content)
    clear()
    begin({ ...content, keys })
  }
  if (!restored) {
    setClock(clock, seed)
    begin(seed)
  }
  const snapshot = (snapshotOptions?: SnapshotOptions) => snapshotOf(parts, snapshotOptions)
  const target = {
    ...parts,
    requests,
    violations,
    reset,
    snapshot,
    restore,
    annotationsOf: pipeline.annotationsOf,
    onError,
  }
  const control = createControl(target, options.control?.token)
  const handler: Handler = (request) => (isControl(request) ? control(request) : router(request))

  const callers = { hosts: options.allowedHosts ?? [], origins: options.allowedOrigins ?? [] }
  const edge = { clock, ambiguities: () => ambiguities.current }
  return {
    baseUrl,
    publicBaseUrl,
    world,
    restored,
    requests,
    faults,
    ambiguities,
    ...createEdges(handler, edge, { baseUrl, publicBaseUrl }, callers),
    violations: () => violations.list(),
    reset,
    snapshot,
    restore,
    fork({ store: _, ...others } = {}) {
      const { store: ownStore, ...same } = options
      const time = isSteered(clock) ? { clock: steeredClock() } : { clock }
      return createServer({ ...same, ...time, ...others, seed: snapshot({ keys: true }) })
    },
    close() {
      pipeline.stop()
      world.close()
    },
  }
}

type Edges = Pick<ReferenceServer, 'fetch' | 'owns' | 'listen'>

function createEdges(
  handler: Handler,
  edge: EdgeParts,
  { baseUrl, publicBaseUrl }: Pick<ReferenceServer, 'baseUrl' | 'publicBaseUrl'>,
  callers: AllowedCallers,
): Edges {
  let bases: readonly Base[] = basesOf(baseUrl, publicBaseUrl)
  return {
    fetch: createFetch(handler, () => bases, edge),
    owns: (url) => resolveTarget(bases, url) !== undefined,
    async listen(listenOptions = {}) {
      checkListenOptions(listenOptions)
      const paths = pathsOf(baseUrl, publicBaseUrl)
      const listening = await listen({ ...edge, handler, paths, callers }, listenOptions)
      const added = basesOf(listening.baseUrl, listening.publicBaseUrl)
      bases = longestFirst([...bases, ...added])
      const close: Listening['close'] = async (closeOptions) => {
        bases = bases.filter((base) => !added.includes(base))
        await listening.close(closeOptions)
      }
      return { ...listening, close }
    },
  }
}
