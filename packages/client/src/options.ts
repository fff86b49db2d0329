import { type Clock, fullClock, systemClock } from './clock.js'
import { type Environment, fullSignal, isBrowser, parseUrl, runtimeEnvironment, runtimeName } from './environment.js'
import { connectionInputError, InputError, inputError } from './errors/index.js'
import {
  type ClientEvent,
  type Listeners,
  type Logger,
  type LogLevel,
  listenersOf,
  logLevels,
  withListener,
} from './events.js'
import { type HeadersChange, type Hooks, mergeHeaders } from './hooks.js'
import { isObject, tagOf } from './json.js'
import type { Surface } from './operation.js'
import { numberFrom, numberOption, positive, shownOption } from './option-values.js'
import { defaultRetry, noRetry, type RetryPolicy } from './retry/index.js'
import { type FetchLike, isLoopback, runtimeTransport, type Transport, transportOf } from './transport.js'
import { version } from './version.js'

/**
 * An API key, or a function that returns the current key. The function is called for each attempt, and again if the attempt
 * had to wait for the rate limiter; if it fails, the call throws an InputError with reason `invalid_key`. Each key that it
 * gives has its own rate limiter. Keys are trimmed (interface: Authentication).
 */
export type ApiKey = string | (() => string | Promise<string>)

type RetryChange = { [K in keyof RetryPolicy]?: RetryPolicy[K] | undefined }

/** Options of the client and of a single call; undefined keeps the client's value. */
export interface CallDefaults {
  /**
   * Time-out of one attempt, through the last byte of the answer, in milliseconds. Default 60 000; `annotations.create`
   * 240 000. Node's own `fetch` stops at 300 000: above that, use `nodeTransport()`.
   */
  timeoutMs?: number | undefined
  /** Time-out of the whole call with its waits and retries, in milliseconds. Default 600 000. */
  deadlineMs?: number | undefined
  /** Fields of the retry policy to change. `false` sends one request and does not search for a lost write. */
  retry?: RetryChange | false | undefined
  /** Check uploads, projects and annotation requests before they are sent. Default true. */
  validate?: boolean | undefined
  /**
   * Add `metadata.svc = { key, occurrence, write }` to uploads, with a random `write` that identifies a lost upload. An
   * existing `svc` is kept. The stamp counts towards the body's size. Default true; with `false`, a lost upload is
   * ambiguous if the service does not show its content.
   */
  stamp?: boolean | undefined
  /**
   * Search for the record of a write whose answer was lost, before it is sent again or an AmbiguousWriteError is thrown.
   * Needs a key with read permission. Default true.
   */
  reconcile?: boolean | undefined
  /**
   * How long a lost write may be missing in the lists of the service after it was stored, in milliseconds: the longest lag
   * that is survived. A write counts as absent, and is sent again, only after this time. Default 15 000.
   */
  settleMs?: number | undefined
  /**
   * Headers of every request: an object with names in any case, where `undefined` keeps a header and `null` removes it,
   * or `Headers`, or pairs. `authorization` replaces the key. Outside browsers, `user-agent` names package, version and runtime.
   */
  headers?: HeadersChange | undefined
  /**
   * `no-store` keeps answers to reads out of the HTTP cache of a browser or framework. Default: as `fetch` decides.
   * Writes and searches for a lost write never use a cache.
   */
  cache?: 'default' | 'no-store' | undefined
}

/** The last argument of every method; for `all()`, the options of each page. */
export interface CallOptions extends CallDefaults {
  /** Aborts the call at once; the call rejects with the signal's reason. One signal may serve many calls. */
  signal?: AbortSignal | undefined
  /** Receives the events of this call, after the client's own `onEvent`. */
  onEvent?: ((event: ClientEvent) => void) | undefined
}

/** Options of `transcripts.upload`. */
export interface UploadOptions extends CallOptions {
  /**
   * An id of your own, such as that of a job or a conversation: a transcript that an earlier call stored with this id in the
   * project is found, and not stored again, also by another process. Other turns or another external id with this id are an
   * InputError, `id_reused`, with `storedId`. Needs the stamp, `sourceTimestamp`, which must be the same each time, and a key
   * with read permission. Two calls at the same moment, or within the lag of the list, both store.
   */
  once?: string | undefined
}

/** Options of `createClient`, all optional. */
export interface ClientOptions extends CallDefaults {
  /** The key for both surfaces (interface: Authentication). Default: `SVC_API_KEY` of the environment. */
  apiKey?: ApiKey | undefined
  /** The key for surface A. Default: `apiKey`, then `SVC_ANNOTATION_API_KEY`, then `SVC_API_KEY`. */
  annotationApiKey?: ApiKey | undefined
  /** The key for surface B. Default: `apiKey`, then `SVC_WORKSPACE_API_KEY`, then `SVC_API_KEY`. */
  workspaceApiKey?: ApiKey | undefined
  /** Base URL of surface A, without `/v1`; its key is sent nowhere else. Default: `SVC_BASE_URL`. */
  baseUrl?: string | undefined
  /** Base URL of surface B, with its version prefix; its key is sent nowhere else. Default: `SVC_PUBLIC_BASE_URL`. */
  publicBaseUrl?: string | undefined
  /**
   * Any function that can be called as the web's `fetch(url, init)`, such as those of undici and node-fetch. An error that it throws before it
   * returns a promise ends the call unchanged. Default: the runtime's `fetch`, looked up at each call.
   */
  fetch?: FetchLike | undefined
  /** Sends requests instead of `fetch`, such as `nodeTransport()` from `@svc/client/node`. */
  transport?: Transport | undefined
  /** Allow keys over plain http to hosts other than loopback. Default false: an InputError, `invalid_base_url`. */
  allowHttp?: boolean | undefined
  /** Receives the events of every call. Events hold no key, body or search text. Errors that it throws are ignored. */
  onEvent?: ((event: ClientEvent) => void) | undefined
  /** Receives the events as readable lines. Default: standard error in Node, the console elsewhere. */
  logger?: Logger | undefined
  /** The lines to log. Default: `SVC_LOG`, else `debug` with a `logger` and `off` without. */
  logLevel?: LogLevel | undefined
  /** Functions that are called around each attempt. */
  hooks?: Hooks | undefined
  /**
   * Largest success body, in bytes after decompression. A larger one is a ServiceError of kind `unexpected`; for a write,
   * a lost answer. Default 67 108 864 (64 MiB).
   */
  maxResponseBytes?: number | undefined
  /** Source of time. A test passes a clock that it moves by hand. Default: `systemClock`. */
  clock?: Clock | undefined
  /** Source of keys and base URLs that are not given. Default: the environment of the process, if it has one. */
  environment?: Environment | undefined
}

/** Defaults in milliseconds: of one attempt of most methods, of a whole call, and of the lag of a list. */
export const defaultTimes = { timeoutMs: 60_000, deadlineMs: 600_000, settleMs: 15_000 }

export interface Settings {
  surfaces: Record<Surface, { baseUrl: string | undefined; key: ApiKey | undefined; allowsKey: boolean }>
  transport: Transport
  timeoutMs: number | undefined
  deadlineMs: number
  retry: RetryPolicy
  headers: Record<string, string>
  validate: boolean
  reconcile: boolean
  stamp: boolean
  settleMs: number
  cache: CallDefaults['cache']
  maxResponseBytes: number
  hooks: Hooks
  listeners: Listeners
  clock: Required<Clock>
}

/** Shared by the entries of the package, each of which may be bundled on its own. */
const settingsKey = Symbol.for('@svc/client/settings')

/** Let the other entries of the package read the settings of a client. A function shows no key when a client is printed. */
export const withSettings = <T extends object>(client: T, settings: Settings): T =>
  Object.defineProperty(client, settingsKey, { value: () => settings })

const settingsIn = (client: object): Settings | undefined => Object(client)[settingsKey]?.()

export function settingsOf(client: object): Settings {
  const settings = settingsIn(client)
  if (settings) return settings
  throw inputError('openapi', 'expected a client of createClient')
}

/**
 * The options that a client was created with, or took from its environment: its base URLs, the time-out of an attempt and the
 * longest lag of a list, in milliseconds. A time-out that depends on the method, and everything of what is no client, is undefined.
 */
export function optionsOf(client: object): Pick<ClientOptions, 'baseUrl' | 'publicBaseUrl' | 'timeoutMs' | 'settleMs'> {
  const settings = settingsIn(client)
  if (!settings) return {}
  const { timeoutMs, settleMs, surfaces } = settings
  return { baseUrl: surfaces.annotation.baseUrl, publicBaseUrl: surfaces.workspace.baseUrl, timeoutMs, settleMs }
}

/** The option and the environment variable of a surface's base URL, and of its own key. */
interface Sources {
  baseUrl: readonly ['baseUrl' | 'publicBaseUrl', keyof Environment]
  key: readonly ['annotationApiKey' | 'workspaceApiKey', keyof Environment]
}

export const sources: Record<Surface, Sources> = {
  annotation: { baseUrl: ['baseUrl', 'SVC_BASE_URL'], key: ['annotationApiKey', 'SVC_ANNOTATION_API_KEY'] },
  workspace: { baseUrl: ['publicBaseUrl', 'SVC_PUBLIC_BASE_URL'], key: ['workspaceApiKey', 'SVC_WORKSPACE_API_KEY'] },
}

export function resolveOptions(options: ClientOptions): Settings {
  refuseUnknown('createClient', options, clientOptions)
  const environment = options.environment ?? runtimeEnvironment()
  // Read only if no option is given: Deno prompts for each variable, or throws.
  const variable = (name: keyof Environment): string | undefined => {
    try {
      return environment[name] || undefined
    } catch {
      return undefined
    }
  }
  const agent = isBrowser() ? {} : { 'user-agent': `svc-client/${version} ${runtimeName()}` }
  const headers = mergeHeaders(agent, options.headers)
  const surface = ({ baseUrl: [name, urlVariable], key: [keyOption, keyVariable] }: Sources) => {
    const key = (options[keyOption] ?? options.apiKey ?? variable(keyVariable) ?? variable('SVC_API_KEY')) || undefined
    const url = baseUrlIn(name, options[name] ?? variable(urlVariable))
    const allowsKey = options.allowHttp === true || url?.protocol !== 'http:' || isLoopback(url.hostname)
    if (!allowsKey && (key !== undefined || 'authorization' in headers))
      throw invalidBaseUrl(
        `${name} would send the key over plain http to ${url.hostname}`,
        'use https, or allowHttp: true',
      )
    return { baseUrl: url?.href.replace(/(?<!\/)\/+$/, ''), key, allowsKey }
  }
  const surfaces = { annotation: surface(sources.annotation), workspace: surface(sources.workspace) }
  const { hooks = {}, fetch, transport } = options
  refuseUnknown('hooks', hooks, { onRequest: true, onResponse: true, onRetry: true })
  const logLevelSource = options.logLevel === undefined ? 'SVC_LOG' : 'logLevel'
  const logLevel = listed(logLevelSource, logLevels, options.logLevel ?? variable('SVC_LOG'))
  const defaults: Settings = {
    surfaces,
    transport: transport ?? (fetch ? transportOf(fetch) : runtimeTransport),
    timeoutMs: undefined,
    deadlineMs: defaultTimes.deadlineMs,
    retry: defaultRetry,
    headers,
    validate: true,
    reconcile: true,
    stamp: true,
    settleMs: defaultTimes.settleMs,
    cache: undefined,
    maxResponseBytes: numberOption('maxResponseBytes', positive, options.maxResponseBytes) ?? 67_108_864,
    hooks,
    listeners: listenersOf({ ...options, logLevel }),
    clock: fullClock(options.clock ?? systemClock),
  }
  return withDefaults(defaults, { ...options, headers: undefined, onEvent: undefined })
}

/** The known options; the types ensure that none is missing. */
export const callDefaults: { [K in keyof CallDefaults]-?: true } = {
  timeoutMs: true,
  deadlineMs: true,
  retry: true,
  validate: true,
  stamp: true,
  reconcile: true,
  settleMs: true,
  headers: true,
  cache: true,
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
  logLevel: true,
  hooks: true,
  maxResponseBytes: true,
  clock: true,
  environment: true,
}

export function withDefaults(settings: Settings, options: CallDefaults & Pick<CallOptions, 'onEvent'>): Settings {
  return {
    ...settings,
    timeoutMs: attemptTimeout(options.timeoutMs, settings.transport) ?? settings.timeoutMs,
    deadlineMs: numberOption('deadlineMs', positive, options.deadlineMs) ?? settings.deadlineMs,
    retry: retryPolicy(settings.retry, options.retry),
    validate: options.validate ?? settings.validate,
    stamp: options.stamp ?? settings.stamp,
    reconcile: options.reconcile ?? settings.reconcile,
    settleMs: numberOption('settleMs', positive, options.settleMs) ?? settings.settleMs,
    cache: listed('cache', ['default', 'no-store'], options.cache) ?? settings.cache,
    headers: mergeHeaders(settings.headers, options.headers),
    listeners: options.onEvent ? withListener(settings.listeners, options.onEvent) : settings.listeners,
  }
}

const invalid = (message: string) => new InputError('invalid_input', message, 'options')

/** Node's fetch stops after 300 s. */
function attemptTimeout(given: number | undefined, transport: Transport): number | undefined {
  const ms = numberOption('timeoutMs', positive, given)
  if (ms === undefined || ms <= 300_000 || transport !== runtimeTransport || !runtimeName().startsWith('node/'))
    return ms
  throw invalid("timeoutMs: Node's fetch stops after 300 s; use nodeTransport() from @svc/client/node.")
}

function listed<T extends string>(name: string, values: readonly T[], given: string | undefined): T | undefined {
  if (given === undefined || values.includes(given as T)) return given as T | undefined
  throw invalid(`${name}: expected ${values.join(', ')}, got ${shownOption(given)}.`)
}

function retryPolicy(defaults: RetryPolicy, change: RetryChange | false | undefined): RetryPolicy {
  if (change === undefined) return defaults
  if (change === false) return noRetry
  const policy = { ...(defaults === noRetry ? defaultRetry : defaults) }
  if (Object(change) !== change) throw invalid(`retry: expected false or an object, got ${shownOption(change)}.`)
  refuseUnknown('retry', change, policy)
  for (const name of Object.keys(policy) as (keyof RetryPolicy)[]) {
    const numbers = numberFrom(name === 'attempts' ? 1 : 0)
    policy[name] = numberOption(`retry.${name}`, numbers, change[name]) ?? policy[name]
  }
  return policy
}

/** Throws an InputError for an unknown option, or for options that are no object. */
export function refuseUnknown(
  where: string,
  given: unknown,
  known: object,
  kind: 'option' | 'filter' = 'option',
): void {
  if (!isObject(given)) {
    throw inputError(where, `expected ${kind}s as an object, got ${tagOf(given)}`)
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue
    const names = Object.keys(known)
    const nearest = nearestOf(name, names)
    const hint = nearest ? `Did you mean ${JSON.stringify(nearest)}?` : `Known: ${names.join(', ')}.`
    // Another name may be a key in the wrong place.
    const shown = /^\w{1,40}$/.test(name) ? ` ${JSON.stringify(name)}` : ''
    throw new InputError('invalid_input', `${where}: unknown ${kind}${shown}. ${hint}`, where)
  }
}

/** A signal with all its members. Throws an InputError for one that is none, such as its controller. */
export function signalOf(operation: string, signal: AbortSignal | undefined): AbortSignal | undefined {
  if (!signal) return undefined
  if (typeof signal.addEventListener === 'function') return fullSignal(signal)
  const hint = 'signal' in Object(signal) ? '; pass the signal of the controller' : ''
  throw inputError(operation, `expected an AbortSignal as signal${hint}`)
}

/** The name with the largest share of letter pairs in common, ignoring case; undefined if no name is near. */
function nearestOf(name: string, names: readonly string[]): string | undefined {
  const text = name.toLowerCase()
  const shareOf = (each: string) => {
    const common = Array.from(text, (_, i) => text.slice(i, i + 2)).filter(
      (pair) => pair[1] && each.toLowerCase().includes(pair),
    ).length
    const isNear = common > 1 && common >= (Math.min(text.length, each.length) - 1) / 2
    return isNear ? common / (text.length + each.length) : 0
  }
  return names.filter(shareOf).sort((one, other) => shareOf(other) - shareOf(one))[0]
}

const invalidBaseUrl = (problem: string, advice?: string) =>
  connectionInputError('invalid_base_url', 'createClient', problem, advice)

/** No message shows the value: it may be a key in the wrong option. */
function baseUrlIn(name: string, value: string | undefined): URL | undefined {
  if (value === undefined) return undefined
  const url = parseUrl(value)
  if (!url || !/^https?:/i.test(value.trim())) throw invalidBaseUrl(`${name} is not a URL such as https://svc.example`)
  if (url.username || url.password) throw invalidBaseUrl(`${name} holds credentials`, 'give the key as apiKey')
  if (/[?#]/.test(value)) throw invalidBaseUrl(`${name} holds a query or a fragment`)
  return url
}
