import { type Ambiguities, type SavedService, savedProblems } from './ambiguities/index.js'
import type { Annotator, PipelineOptions } from './annotators/index.js'
import type { Clock } from './clock.js'
import type { FaultRule } from './faults/index.js'
import { allowedHostProblem, allowedOriginProblem, type ListenOptions } from './http/index.js'
import type { JournalEntry } from './journal/index.js'
import type { RateLimits } from './rate-limit.js'
import { ambiguities, count, faultRule, limits, type Seed, seed } from './snapshot/index.js'
import type { HealthResponse, Transcript } from './types.js'
import {
  assertValid,
  boolean,
  checkedBy,
  closed,
  distinct,
  expecting,
  isObject,
  list,
  object,
  oneOf,
  reader,
  string,
  type Validator,
  wholeNumber,
} from './validation/index.js'
import type { IdSource, Store } from './world/index.js'

/** The options of a server. */
export interface ServerOptions {
  /** Base URL of the annotation surface. Default `https://svc.test`. */
  baseUrl?: string
  /** Base URL of the workspace surface. Default: `baseUrl` and `/public/api/v1`. */
  publicBaseUrl?: string
  /** The content at the start. Default: one workspace, and `referenceKey` with full access. */
  seed?: Seed
  /** Default: the system clock. */
  clock?: Clock
  /** Default: `seededIds()`, the same ids in every run; with a store `crypto.randomUUID`, as ids must not repeat. */
  ids?: IdSource
  /** The rate limit of each key on each surface, and of the provider. Default: none (interface: Limits). */
  limits?: RateLimits
  /** The failures to produce, and for which requests; as objects, or in the text form of `parseFault`. Default: none. */
  faults?: readonly (FaultRule | string)[]
  /** True if a request may ask for a fault with the header `svc-fault`. Default false. */
  faultHeader?: boolean
  /** Serve the control plane over HTTP, under `/_svc/`, to requests with this token. Default: not served. */
  control?: { token: string }
  /** The processing of an upload with `process: true`. Default: three rule-based steps, done at once. */
  pipeline?: PipelineOptions
  /** The store of the world, such as `await openStore(folder)`. The seed is used only if it is empty. */
  store?: Store
  /**
   * Hosts, without port, that a request over HTTP may name besides loopback and the host that is listened on. Any other
   * host gets a 403. Default: none.
   */
  allowedHosts?: readonly string[]
  /**
   * Origins of pages that may send requests over HTTP, besides those of loopback, such as `https://app.example`; `*`: all.
   * Any other origin gets a 403. Default: none.
   */
  allowedOrigins?: readonly string[]
  /** The registry, in place of `structural` and `patterns` (interface: Resources › AnnotatorInfo). */
  annotators?: readonly Annotator[]
  /** Choices where the interface is ambiguous. Default: `defaultAmbiguities`. */
  ambiguities?: Partial<Ambiguities>
  /** Start with the readings that a run of `contract` saw; `ambiguities` wins over it. Default: none. */
  like?: SavedService
  /** The substrate in `/health`. Default `lambda` (interface: Resources › HealthResponse). */
  substrate?: HealthResponse['substrate']
  /**
   * Submit the annotation job of an uploaded transcript; false results in `processing_status: error`. Default: true
   * (interface: States and transitions).
   */
  submit?: (transcript: Transcript) => boolean
  /** The number of requests that the journal keeps. Default 1000. */
  journalSize?: number
  /**
   * The bytes that the journal keeps, about. Over that it drops the bodies of the oldest requests, which then have
   * `bodiesDropped`, then whole requests. Default 16 MiB.
   */
  journalBytes?: number
  /** Called with each request after its response is created. Default: nothing. */
  onRequest?: (entry: JournalEntry) => void
  /**
   * Called with each error of an operation, an annotator, a model or `submit`; the client sees at most a 500 without it.
   * Default: `console.error`.
   */
  onError?: (error: unknown) => void
}

const callable = expecting('expected a function', (value) => typeof value === 'function')
const filled = expecting('expected a string that is not empty', (value) => typeof value === 'string' && value !== '')
const url = expecting(
  'expected an http or https URL',
  (value) => typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value),
)
const annotator = object({
  id: filled,
  annotator_version: filled,
  taxonomy_version: filled,
  description: string,
  annotate: callable,
})

const annotators: Validator = (value, out) => {
  list(annotator)(value, out)
  if (Array.isArray(value))
    distinct(new Map(value.map((each, i) => [`/${i}/id`, isObject(each) ? each.id : undefined])), out)
}

export const readLimits = reader<RateLimits>('limits', limits)

export const readAmbiguities = reader<Partial<Ambiguities>>('ambiguities', ambiguities)

const validators: { readonly [Name in keyof Required<ServerOptions>]: Validator } = {
  baseUrl: url,
  publicBaseUrl: url,
  seed,
  clock: object({ now: callable }, { after: callable }),
  ids: callable,
  limits,
  faults: list(faultRule),
  faultHeader: boolean,
  control: closed({ token: filled }),
  pipeline: closed({}, { afterMs: wholeNumber(0), model: callable }),
  store: object({ load: callable, write: callable, replace: callable, close: callable }),
  allowedHosts: list(checkedBy(allowedHostProblem)),
  allowedOrigins: list(checkedBy(allowedOriginProblem)),
  annotators,
  ambiguities,
  like: (value, out) => void out.push(...savedProblems(value)),
  substrate: oneOf(['fargate', 'lambda']),
  submit: callable,
  journalSize: count,
  journalBytes: count,
  onRequest: callable,
  onError: callable,
}

export const checkServerOptions = checking('Invalid server options', closed({}, validators))

const tls: Validator = (value, out) => {
  if (typeof value !== 'boolean') closed({ cert: string, key: string })(value, out)
}

export const checkListenOptions = checking(
  'Invalid options of listen()',
  closed({}, { port: wholeNumber(0), host: string, path: string, tls } satisfies Record<
    keyof ListenOptions,
    Validator
  >),
)

function checking(title: string, validator: Validator): (value: unknown) => void {
  return (value) => {
    assertValid(value, validator, (problems) => new TypeError(`${title}: ${problems}.`))
  }
}
