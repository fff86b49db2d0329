import { allowedHostProblem, allowedOriginProblem, type CallerOptions } from './allowed-callers.js'
import type { Annotator } from './annotator.js'
import { patterns } from './annotator-patterns.js'
import { structural } from './annotator-structural.js'
import { type Base, basesOf, locate, pathsOf, sorted, trim } from './bases.js'
import type { AnswerCall } from './call.js'
import { type Clock, systemClock } from './clock.js'
import { createControl } from './control.js'
import type { FaultRule } from './fault.js'
import { Faults } from './faults.js'
import { createFetch, type Fetch } from './fetch-edge.js'
import { type IdSource, seededIds } from './ids.js'
import { type JournalEntry, note } from './journal.js'
import { type Listening, type ListenOptions, listen } from './listen.js'
import { operations } from './operations/index.js'
import { createPipeline, type PipelineOptions } from './pipeline.js'
import { RateLimiter, type RateLimits } from './rate-limit.js'
import { type Readings, readingsOf } from './readings.js'
import { createAnswerer } from './route.js'
import { routeTable } from './route-table.js'
import { plant, referenceWorkspace, type Seed } from './seed.js'
import type { Store } from './store.js'
import type { HealthResponse, Transcript } from './types.js'
import { World } from './world.js'

/** Everything about a server that may be chosen. */
export interface ServerOptions {
  /** Base URL of the annotation surface. Default `https://svc.test`. */
  baseUrl?: string
  /** Base URL of the workspace surface. Default: `baseUrl` and `/public/api/v1`. */
  publicBaseUrl?: string
  /** What it knows at the start. Default: one workspace, and `referenceKey` with full access. */
  seed?: Seed
  /** Default: the time of the machine. */
  clock?: Clock
  /** Default: `seededIds()`, the same ids in every run; with a store `crypto.randomUUID`, as ids must not come again. */
  ids?: IdSource
  /** A fixed window for each key on each surface, and one for the provider. Default: none (interface: Limits). */
  limits?: RateLimits
  /** What goes wrong, and with which requests. Default: nothing. */
  faults?: readonly FaultRule[]
  /** Whether a request may ask for a fault of its own with the header `svc-fault`. Default false. */
  faultHeader?: boolean
  /** Lets whoever knows the token steer the server over HTTP, under `/_svc/`. Default: nobody. */
  control?: { token: string }
  /** What happens after an upload with `process: true`. Default: three steps by rule, done at once. */
  pipeline?: PipelineOptions
  /** Where the world is kept, such as `await openStore(folder)`. The seed is planted only into an empty one. */
  store?: Store
  /**
   * Hosts that a request over HTTP may name beside loopback and the host that is listened on, without port. Another one is
   * answered 403. Default: none.
   */
  allowedHosts?: readonly string[]
  /**
   * Origins whose pages may send requests over HTTP, beside those of loopback, such as `https://app.example`; `*`: all.
   * Another one is answered 403. Default: none.
   */
  allowedOrigins?: readonly string[]
  /** The registry, in place of `structural` and `patterns` (interface: Resources › AnnotatorInfo). */
  annotators?: readonly Annotator[]
  /** Where the interface leaves a choice; see `defaultReadings`. */
  readings?: Partial<Readings>
  /** What `/health` says. Default `lambda` (interface: Resources › HealthResponse). */
  substrate?: HealthResponse['substrate']
  /**
   * Submits the job of an uploaded transcript; false gives `processing_status: error`. Default: true
   * (interface: States and transitions).
   */
  submit?: (transcript: Transcript) => boolean
  /** How many requests the journal keeps. Default 1000. */
  journalSize?: number
  /** Told of each request once its answer is made. Default: nothing. */
  onRequest?: (entry: JournalEntry) => void
  /** Told of an error inside an operation or an annotator; the caller sees a 500 without it. Default: nothing. */
  onError?: (error: unknown) => void
}

/** Both surfaces over one world. */
export interface ReferenceServer {
  /** Base URL of the annotation surface, as the option gave it; what listens has one of its own. */
  readonly baseUrl: string
  /** Base URL of the workspace surface, with its version prefix. */
  readonly publicBaseUrl: string
  /** Answers a Request in process, without a port: `createClient({ fetch: server.fetch })`. */
  readonly fetch: Fetch
  /** Serves over HTTP on loopback; needs Node. May be called more than once. */
  listen(options?: ListenOptions): Promise<Listening>
  /** All state; to be read, or set up. */
  readonly world: World
  /** Whether its world came out of the store; the seed was not planted then. */
  readonly restored: boolean
  /** The latest requests of all edges, oldest first. */
  readonly requests: readonly JournalEntry[]
  /** What goes wrong; rules may be added and taken away. */
  readonly faults: Faults
  /** Puts all back to the start: the seed, limits, faults, journal, what the store holds. Time is not turned back. */
  reset(): void
  /** Ends the pipeline, and closes the store. What listens is closed by itself. */
  close(): void
  /** Whether a URL stands under one of the server's bases. */
  owns(url: string): boolean
}

/** The annotators of a server that is given none. */
export const defaultAnnotators: readonly Annotator[] = [structural, patterns]

/** Makes a server; nothing listens until `listen` is called. */
export function createServer(options: ServerOptions = {}): ReferenceServer {
  const { baseUrl = 'https://svc.test', clock = systemClock, seed = {}, journalSize = 1000, store } = options
  const { publicBaseUrl = `${trim(baseUrl)}/public/api/v1`, limits, onError = () => {} } = options
  const { annotators = defaultAnnotators, substrate = 'lambda', faultHeader = false } = options
  const callers = callersOf(options)
  const readings = readingsOf(options.readings)
  const workspace = seed.workspaces?.[0] ?? referenceWorkspace
  const ids = restartable(() => options.ids ?? (store ? () => crypto.randomUUID() : seededIds()))
  const { submit = () => true } = options
  const world = new World({ clock, ids: ids.next, workspace, submit, onError, ...(store && { store }) })
  const pipeline = createPipeline(world, clock, options.pipeline ?? {}, onError)
  world.onSubmitted = pipeline.take
  const restored = !world.empty
  if (!restored) world.replant((empty) => plant(empty, seed))
  else for (const transcript of world.allTranscripts()) if (transcript.analysed) pipeline.take(transcript)

  const limiter = limits && new RateLimiter(limits)
  const faults = new Faults(options.faults)
  const requests: JournalEntry[] = []
  const answerOperation = createAnswerer({
    server: { baseUrl, publicBaseUrl, world, clock, readings, annotators, pipeline, substrate },
    find: routeTable(operations(readings)),
    limiter,
    faults,
    faultHeader,
    note(entry) {
      note(requests, entry, journalSize)
      options.onRequest?.(entry)
    },
    onError,
  })

  const reset = () => {
    ids.restart()
    world.submit = submit
    world.replant((emptied) => plant(emptied, seed))
    limiter?.reset()
    faults.reset()
    requests.length = 0
  }
  const control =
    options.control && createControl({ world, clock, requests, faults, reset, onError }, options.control.token)
  const answer: AnswerCall = control ? async (call) => (await control(call)) ?? answerOperation(call) : answerOperation

  let bases: readonly Base[] = basesOf(baseUrl, publicBaseUrl)
  return {
    baseUrl,
    publicBaseUrl,
    world,
    restored,
    requests,
    faults,
    fetch: createFetch(answer, () => bases, clock),
    owns: (url) => locate(bases, url) !== undefined,
    reset,
    close() {
      pipeline.stop()
      world.close()
    },
    async listen(listenOptions = {}) {
      const listening = await listen(answer, pathsOf(baseUrl, publicBaseUrl), clock, listenOptions, callers)
      const added = basesOf(listening.baseUrl, listening.publicBaseUrl)
      bases = sorted([...bases, ...added])
      const close: Listening['close'] = async (closeOptions) => {
        bases = bases.filter((base) => !added.includes(base))
        await listening.close(closeOptions)
      }
      return { ...listening, close }
    },
  }
}

function callersOf({ allowedHosts: hosts = [], allowedOrigins: origins = [] }: ServerOptions): CallerOptions {
  const problems = [
    ...hosts.map((host, i) => [`allowedHosts[${i}]`, allowedHostProblem(host)]),
    ...origins.map((origin, i) => [`allowedOrigins[${i}]`, allowedOriginProblem(origin)]),
  ]
  for (const [place, problem] of problems) if (problem) throw new TypeError(`${place}: ${problem}.`)
  return { hosts, origins }
}

/** A source of ids that can begin anew. */
function restartable(make: () => IdSource): { next: IdSource; restart: () => void } {
  let source = make()
  return {
    next: () => source(),
    restart: () => {
      source = make()
    },
  }
}
