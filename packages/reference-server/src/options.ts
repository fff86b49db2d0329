import type { Annotator, PipelineOptions } from './annotators/index.js'
import type { Clock } from './clock.js'
import { type FaultRule, faultProblem } from './faults.js'
import { allowedHostProblem, allowedOriginProblem, type ListenOptions } from './http/index.js'
import type { RateLimits } from './rate-limit.js'
import { type Readings, readingProblem } from './readings.js'
import type { JournalEntry } from './router/index.js'
import type { HealthResponse, Transcript } from './types.js'
import {
  boolean,
  check,
  checkedBy,
  closed,
  describeViolations,
  distinct,
  expecting,
  type Fields,
  isObject,
  list,
  object,
  oneOf,
  string,
  type Validator,
  wholeNumber,
} from './validation/index.js'
import { type IdSource, type Seed, type Store, seed } from './world/index.js'

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
  /**
   * Told of an error inside an operation, an annotator, a model or `submit`; the caller sees a 500 without it, if anything.
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
const duration = expecting('expected a number of milliseconds over 0', (value) => isAtLeast(value, Number.MIN_VALUE))
const count = expecting(
  'expected a whole number from 0, or Infinity',
  (value) => isAtLeast(value, 0) && (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY),
)

const isAtLeast = (value: unknown, min: number) => typeof value === 'number' && value >= min

const quota = { requests: count, windowMs: duration }

/** An object that may be an instance of a class: its members count, also those that it inherits. */
function instance(required: Fields, optional: Fields = {}): Validator {
  const shape = object(required, optional)
  const names = Object.keys({ ...required, ...optional })
  return (value, out) =>
    shape(isObject(value) ? Object.fromEntries(names.map((name) => [name, value[name]])) : value, out)
}

const annotator = instance({
  id: filled,
  annotator_version: filled,
  taxonomy_version: filled,
  description: string,
  annotate: callable,
})

const annotators: Validator = (value, out) => {
  list(annotator)(value, out)
  if (Array.isArray(value))
    distinct(
      value.map((each, i) => [`/${i}/id`, isObject(each) ? each.id : undefined]),
      out,
    )
}

const readings = checkedBy((value) => {
  if (!isObject(value)) return 'expected an object'
  const problems = Object.entries(value).map(([name, reading]) => readingProblem(name, reading))
  return problems.find((problem) => problem !== undefined)
})

const fault = checkedBy((value) => (isObject(value) ? faultProblem(value) : 'expected an object'))

const options: { readonly [Name in keyof Required<ServerOptions>]: Validator } = {
  baseUrl: url,
  publicBaseUrl: url,
  seed,
  clock: instance({ now: callable }, { after: callable }),
  ids: callable,
  limits: closed(quota, { saturation: closed(quota) }),
  faults: list(fault),
  faultHeader: boolean,
  control: closed({ token: filled }),
  pipeline: closed({}, { afterMs: wholeNumber(0), model: callable }),
  store: instance({ load: callable, write: callable, replace: callable, close: callable }),
  allowedHosts: list(checkedBy(allowedHostProblem)),
  allowedOrigins: list(checkedBy(allowedOriginProblem)),
  annotators,
  readings,
  substrate: oneOf(['fargate', 'lambda']),
  submit: callable,
  journalSize: count,
  onRequest: callable,
  onError: callable,
}

const listenOptions: { readonly [Name in keyof Required<ListenOptions>]: Validator } = {
  port: wholeNumber(0),
  host: string,
  path: string,
}

/** Checks what a server is made with. Throws a TypeError that names everything that is wrong. */
export const checkServerOptions = checking('Invalid server options', closed({}, options))

/** Checks where to listen. Throws a TypeError that names everything that is wrong. */
export const checkListenOptions = checking('Invalid options of listen()', closed({}, listenOptions))

function checking(what: string, shape: Validator): (value: unknown) => void {
  return (value) => {
    const violations = check(value, shape)
    if (violations.length > 0) throw new TypeError(`${what}: ${describeViolations(violations)}.`)
  }
}
