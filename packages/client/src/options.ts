import { type Clock, systemClock } from './clock.js'
import { type Environment, isBrowser, runtimeEnvironment, runtimeName } from './environment.js'
import { InputError } from './errors/index.js'
import { type ClientEvent, type Listeners, type Logger, listenersOf, withListener } from './events.js'
import type { Surface } from './operation.js'
import { defaultRetry, noRetry, type RetryPolicy } from './retry/index.js'
import { type Fetch, isLoopback, runtimeTransport, type Transport, transportOf } from './transport.js'
import { version } from './version.js'

/**
 * An API key, or a function that gives the current one: it is called for each attempt, within `deadlineMs`, and when it
 * fails the call ends with an InputError, `invalid_key`. White space around a key is taken away
 * (interface: Authentication).
 */
export type ApiKey = string | (() => string | Promise<string>)

type RetryChange = { [K in keyof RetryPolicy]?: RetryPolicy[K] | undefined }

/** What holds for every call, and may be set for one; what is undefined stays as it is. */
export interface CallDefaults {
  /**
   * The longest that one attempt may take, through the last byte of its answer, in milliseconds above 0. Default
   * 60 000; `annotations.create` 240 000. Above 300 000, where Node's own `fetch` gives up, an InputError asks for
   * `nodeTransport()`.
   */
  timeoutMs?: number | undefined
  /** The longest that a call may take with its waits and repetitions, in milliseconds above 0. Default 600 000. */
  deadlineMs?: number | undefined
  /**
   * How often a call is repeated: the fields given change the policy. `false` sends one request at most, whatever comes
   * back, and looks for no lost write.
   */
  retry?: RetryChange | false | undefined
  /**
   * Check uploads, projects and annotation requests before they are sent; `false` leaves that to the service. Default
   * true.
   */
  validate?: boolean | undefined
  /**
   * Put `metadata.svc = { key, occurrence, write }` on uploads, with a `write` that is random for each, so that one whose
   * answer was lost is told from every other, also from one of equal content. Never over a `svc` of the caller's own,
   * whose `write` is then compared if it has one. Its bytes count. Default true; `false` leaves uploads as they are, and
   * then content that the service does not show leaves a lost upload ambiguous.
   */
  stamp?: boolean | undefined
  /**
   * Search the record of a write whose answer was lost, before the write is sent again or an AmbiguousWriteError says
   * that its outcome is unknown. Needs a key that may read. Default true.
   */
  reconcile?: boolean | undefined
  /**
   * Sent with every request; names in any case, `undefined` keeps a header and `null` takes it away. An `authorization`
   * here replaces the key. Outside browsers a `user-agent` names package, version and runtime.
   */
  headers?: Record<string, string | null | undefined> | undefined
}

/** The last argument of every verb. Of `all()` it holds for each page. */
export interface CallOptions extends CallDefaults {
  /** Ends the call at once, in each phase; it rejects with the signal's own reason. One signal may serve many calls. */
  signal?: AbortSignal | undefined
  /** Told what this call does, after the client's own `onEvent`. */
  onEvent?: ((event: ClientEvent) => void) | undefined
}

/** What `createClient` takes; all of it is optional, and keys and base URLs may come from the environment. */
export interface ClientOptions extends CallDefaults {
  /** The key for both surfaces (interface: Authentication). Default: `SVC_API_KEY` of the environment. */
  apiKey?: ApiKey | undefined
  /** The key for surface A. Default: `apiKey`, then `SVC_ANNOTATION_API_KEY`, then `SVC_API_KEY`. */
  annotationApiKey?: ApiKey | undefined
  /** The key for surface B. Default: `apiKey`, then `SVC_WORKSPACE_API_KEY`, then `SVC_API_KEY`. */
  workspaceApiKey?: ApiKey | undefined
  /** Base URL of surface A, without `/v1`; its key goes nowhere else. Default: `SVC_BASE_URL`. */
  baseUrl?: string | undefined
  /** Base URL of surface B, with its version prefix; its key goes nowhere else. Default: `SVC_PUBLIC_BASE_URL`. */
  publicBaseUrl?: string | undefined
  /** What sends a request. Default: the runtime's `fetch`, looked up at each call. */
  fetch?: Fetch | undefined
  /** What sends a request in place of a `fetch`, which it beats: `nodeTransport()` of `@svc/client/node`. */
  transport?: Transport | undefined
  /**
   * Send keys over plain http to hosts that are not loopback, too. Default false: an InputError, `invalid_base_url`.
   */
  allowHttp?: boolean | undefined
  /**
   * Told what each call does, as it happens; never a key, a body or the text of a search. What it throws is ignored.
   */
  onEvent?: ((event: ClientEvent) => void) | undefined
  /** Told the same, as readable lines: `console` fits. */
  logger?: Logger | undefined
  /**
   * Bytes of the largest success that is read, unpacked; above 0. A larger one is a ServiceError of kind `unexpected`, and
   * for a write an answer that was lost. Default 67 108 864 (64 MiB).
   */
  maxResponseBytes?: number | undefined
  /** Time and chance. Default: `systemClock`. */
  clock?: Clock | undefined
  /**
   * Where keys and base URLs that are not given come from. Default: the environment of the process, where there is one.
   */
  environment?: Environment | undefined
}

/** Options with every default applied. */
export interface Settings {
  surfaces: Record<Surface, { baseUrl: string | undefined; key: ApiKey | undefined; secretMayGo: boolean }>
  transport: Transport
  timeoutMs: number | undefined
  deadlineMs: number
  retry: RetryPolicy
  headers: Record<string, string>
  /** Whether inputs are checked before they are sent. */
  validate: boolean
  /** Whether the record of a write is searched when its outcome is unknown. */
  reconcile: boolean
  /** Whether uploads carry a stamp by which they can be told from any other. */
  stamp: boolean
  maxResponseBytes: number
  /** Where the events of a call go; undefined while nobody listens. */
  listeners: Listeners
  clock: Clock
}

export function resolveOptions(options: ClientOptions): Settings {
  refuseUnknown('createClient', options, clientOptions)
  const environment = options.environment ?? runtimeEnvironment()
  // Only where no option is given: Deno asks a person, or refuses, for each variable that is read.
  const variable = (name: keyof Environment): string | undefined => {
    try {
      return environment[name] || undefined
    } catch {
      return undefined
    }
  }
  const agent = isBrowser() ? {} : { 'user-agent': `svc-client/${version} ${runtimeName()}` }
  const headers = mergeHeaders(agent, options.headers)
  const surface = (
    name: 'baseUrl' | 'publicBaseUrl',
    from: keyof Environment,
    ownKey: ApiKey | undefined,
    keyFrom: keyof Environment,
  ) => {
    const key = (ownKey ?? options.apiKey ?? variable(keyFrom) ?? variable('SVC_API_KEY')) || undefined
    const given = options[name] ?? variable(from)
    const isSecret = key !== undefined || 'authorization' in headers
    const secretMayGo = options.allowHttp === true || !isPlain(given)
    return { baseUrl: base(name, given, isSecret && !secretMayGo), key, secretMayGo }
  }
  const defaults: Settings = {
    surfaces: {
      annotation: surface('baseUrl', 'SVC_BASE_URL', options.annotationApiKey, 'SVC_ANNOTATION_API_KEY'),
      workspace: surface('publicBaseUrl', 'SVC_PUBLIC_BASE_URL', options.workspaceApiKey, 'SVC_WORKSPACE_API_KEY'),
    },
    transport: options.transport ?? (options.fetch ? transportOf(options.fetch) : runtimeTransport),
    timeoutMs: undefined,
    deadlineMs: 600_000,
    retry: defaultRetry,
    headers,
    validate: true,
    reconcile: true,
    stamp: true,
    maxResponseBytes: positive('maxResponseBytes', 'bytes', options.maxResponseBytes) ?? 67_108_864,
    listeners: listenersOf(options),
    clock: options.clock ?? systemClock,
  }
  return withDefaults(defaults, { ...options, headers: undefined, onEvent: undefined })
}

/** The options by name; the types hold that none is missing. */
export const callDefaults: { [K in keyof CallDefaults]-?: true } = {
  timeoutMs: true,
  deadlineMs: true,
  retry: true,
  validate: true,
  stamp: true,
  reconcile: true,
  headers: true,
}
export const callOptions: { [K in keyof CallOptions]-?: true } = { ...callDefaults, signal: true, onEvent: true }
const clientOptions: { [K in keyof ClientOptions]-?: true } = {
  ...callDefaults,
  apiKey: true,
  annotationApiKey: true,
  workspaceApiKey: true,
  baseUrl: true,
  publicBaseUrl: true,
  fetch: true,
  transport: true,
  allowHttp: true,
  onEvent: true,
  logger: true,
  maxResponseBytes: true,
  clock: true,
  environment: true,
}

/** Settings of one call, or of a derived client. */
export function withDefaults(settings: Settings, options: CallDefaults & Pick<CallOptions, 'onEvent'>): Settings {
  return {
    ...settings,
    timeoutMs: attemptTimeout(options.timeoutMs, settings.transport) ?? settings.timeoutMs,
    deadlineMs: positive('deadlineMs', 'milliseconds', options.deadlineMs) ?? settings.deadlineMs,
    retry: retryPolicy(settings.retry, options.retry),
    validate: options.validate ?? settings.validate,
    stamp: options.stamp ?? settings.stamp,
    reconcile: options.reconcile ?? settings.reconcile,
    headers: options.headers ? mergeHeaders(settings.headers, options.headers) : settings.headers,
    listeners: options.onEvent ? withListener(settings.listeners, options.onEvent) : settings.listeners,
  }
}

const invalid = (message: string) => new InputError('invalid_input', message, 'options')

/** Node's own fetch gives up after 300 s, whatever it is told. */
function attemptTimeout(given: number | undefined, transport: Transport): number | undefined {
  const ms = positive('timeoutMs', 'milliseconds', given)
  if (ms === undefined || ms <= 300_000 || transport !== runtimeTransport || !runtimeName().startsWith('node/'))
    return ms
  const hint = "Node's own fetch stops after 300 000 ms; pass transport: nodeTransport() from @svc/client/node"
  throw invalid(`timeoutMs: ${hint} for ${ms} ms.`)
}

function positive(name: string, unit: string, given: number | undefined): number | undefined {
  if (given === undefined || given > 0) return given
  throw invalid(`${name}: expected ${unit} above 0, got ${given}.`)
}

function retryPolicy(normalizeBaseUrl: RetryPolicy, change: RetryChange | false | undefined): RetryPolicy {
  if (change === undefined) return normalizeBaseUrl
  if (change === false) return noRetry
  const policy = { ...(normalizeBaseUrl === noRetry ? defaultRetry : normalizeBaseUrl) }
  if (Object(change) !== change) {
    throw invalid(`retry: expected false or an object with ${Object.keys(policy).join(', ')}, got ${change}.`)
  }
  refuseUnknown('retry', change, policy)
  for (const name of Object.keys(policy) as (keyof RetryPolicy)[]) {
    const value = change[name]
    if (value === undefined) continue
    if (!(value >= (name === 'attempts' ? 1 : 0)))
      throw invalid(`retry.${name}: expected a number that is not negative, got ${value}.`)
    policy[name] = value
  }
  return policy
}

/** Refuses an option that nothing would read, because its name is misspelt or another library's. */
export function refuseUnknown(where: string, given: object, known: object): void {
  for (const name of Object.keys(given)) {
    if (name in known) continue
    const [nearest] = Object.keys(known).sort((one, other) => similarity(name, other) - similarity(name, one))
    const message = `${where}: unknown option ${JSON.stringify(name)}. Did you mean ${JSON.stringify(nearest)}?`
    throw new InputError('invalid_input', message, where)
  }
}

/** The share of pairs of letters that two names have in common, in any case. */
function similarity(one: string, other: string): number {
  const pairs = [one, other].map((name) => {
    const letters = [...name.toLowerCase()]
    return letters.slice(1).map((letter, i) => `${letters[i]}${letter}`)
  })
  const common = pairs[0]?.filter((pair) => pairs[1]?.includes(pair)).length ?? 0
  return common / (one.length + other.length - 2)
}

/** Names are compared in lower case; undefined keeps a header, null takes it away. */
function mergeHeaders(base: Record<string, string>, change: CallDefaults['headers'] = {}): Record<string, string> {
  const merged = { ...base }
  for (const [given, value] of Object.entries(change)) {
    const name = given.toLowerCase()
    if (value === null) delete merged[name]
    else if (value !== undefined) merged[name] = headerValue(name, value)
  }
  return merged
}

/** Without the value in the error: a header may be a secret. */
function headerValue(name: string, given: string): string {
  const value = String(given).trim()
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value
  throw invalid(`options: the header ${JSON.stringify(name)} cannot be sent.`)
}

/** Whether what is sent there can be read on the way. */
function isPlain(baseUrl: string | undefined): boolean {
  if (!baseUrl || !URL.canParse(baseUrl)) return false
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && !isLoopback(hostname)
}

/** Refuses what could send a key to the wrong place before anything is sent there. */
function base(name: string, value: string | undefined, leaksKey: boolean): string | undefined {
  if (value === undefined) return undefined
  const refuse = (expected: string): never => {
    throw new InputError('invalid_base_url', `createClient: ${name} ${expected}.`, 'createClient')
  }
  if (!URL.canParse(value)) return refuse(`is not an absolute URL: ${JSON.stringify(value)}`)
  const url = new URL(value)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse(`expects http or https, got ${url.protocol}`)
  if (url.username || url.password) return refuse('holds credentials; give the key as apiKey')
  if (/[?#]/.test(value)) return refuse('holds a query or a fragment, which paths cannot be appended to')
  if (leaksKey) {
    return refuse(`would send the key over plain http to ${url.hostname}; use https, or allowHttp: true`)
  }
  return url.href.replace(/(?<!\/)\/+$/, '')
}
