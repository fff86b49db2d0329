import { type Annotator, createPipeline, patterns, structural } from './annotators/index.js'
import { type Base, basesOf, longestFirst, pathsOf, resolveTarget, withoutTrailingSlash } from './bases.js'
import { systemClock } from './clock.js'
import { createControl } from './control.js'
import { Faults } from './faults.js'
import { createFetch, type Fetch, type Listening, type ListenOptions, listen } from './http/index.js'
import type { Handler } from './http-messages.js'
import { checkListenOptions, checkServerOptions, type ServerOptions } from './options.js'
import { RateLimiter } from './rate-limit.js'
import { defaultReadings } from './readings.js'
import { createRouter, type JournalEntry, routeTable } from './router/index.js'
import { operations } from './routes/index.js'
import { type IdSource, plant, referenceWorkspace, seededIds, World } from './world/index.js'

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
  const { publicBaseUrl = `${withoutTrailingSlash(baseUrl)}/public/api/v1`, limits, onError = console.error } = options
  const { annotators = defaultAnnotators, substrate = 'lambda', faultHeader = false } = options
  const { allowedHosts = [], allowedOrigins = [] } = options
  checkServerOptions(options)
  const readings = { ...defaultReadings, ...options.readings }
  const workspace = seed.workspaces?.[0] ?? referenceWorkspace
  const ids = restartable(() => options.ids ?? (store ? () => crypto.randomUUID() : seededIds()))
  const { submit = () => true } = options
  const world = new World({ clock, ids: ids.next, workspace, submit, onError, ...(store && { store }) })
  const pipeline = createPipeline(world, clock, options.pipeline ?? {}, onError)
  world.onSubmitted = pipeline.start
  const restored = !world.empty
  if (!restored) world.replaceAll((empty) => plant(empty, seed))
  else for (const transcript of world.allTranscripts()) if (transcript.analysed) pipeline.start(transcript)

  const limiter = limits && new RateLimiter(limits)
  const faults = new Faults(options.faults)
  const requests: JournalEntry[] = []
  const answerOperation = createRouter({
    server: { baseUrl, publicBaseUrl, world, clock, readings, annotators, pipeline, substrate },
    find: routeTable(operations(readings)),
    limiter,
    faults,
    faultHeader,
    note(entry) {
      requests.push(entry)
      if (requests.length > journalSize) requests.shift()
      options.onRequest?.(entry)
    },
    onError,
  })

  const reset = () => {
    ids.restart()
    world.submit = submit
    world.replaceAll((emptied) => plant(emptied, seed))
    limiter?.reset()
    faults.reset()
    requests.length = 0
  }
  const control =
    options.control && createControl({ world, clock, requests, faults, reset, onError }, options.control.token)
  const answer: Handler = control ? async (call) => (await control(call)) ?? answerOperation(call) : answerOperation

  let bases: readonly Base[] = basesOf(baseUrl, publicBaseUrl)
  return {
    baseUrl,
    publicBaseUrl,
    world,
    restored,
    requests,
    faults,
    fetch: createFetch(answer, () => bases, clock),
    owns: (url) => resolveTarget(bases, url) !== undefined,
    reset,
    close() {
      pipeline.stop()
      world.close()
    },
    async listen(listenOptions = {}) {
      checkListenOptions(listenOptions)
      const listening = await listen(answer, pathsOf(baseUrl, publicBaseUrl), clock, listenOptions, {
        hosts: allowedHosts,
        origins: allowedOrigins,
      })
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
