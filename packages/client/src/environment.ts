import { lazily } from './lazily.js'

/** The environment variables that `createClient` reads. Options override them; an empty variable is unset. */
export interface Environment {
  /** The key for both surfaces: `apiKey`. */
  SVC_API_KEY?: string | undefined
  /** The key for surface A: `annotationApiKey`. Overrides `SVC_API_KEY`. */
  SVC_ANNOTATION_API_KEY?: string | undefined
  /** The key for surface B: `workspaceApiKey`. Overrides `SVC_API_KEY`. */
  SVC_WORKSPACE_API_KEY?: string | undefined
  /** Base URL of surface A: `baseUrl`. */
  SVC_BASE_URL?: string | undefined
  /** Base URL of surface B, with its version prefix: `publicBaseUrl`. */
  SVC_PUBLIC_BASE_URL?: string | undefined
  /** The log level: `logLevel`. */
  SVC_LOG?: string | undefined
}

type Builtin = {
  (name: 'node:events'): { setMaxListeners(n: number, target: AbortSignal): void } | undefined
  (name: 'node:diagnostics_channel'): { channel(name: string): Channel } | undefined
  (name: 'node:util'): Pick<Globals, 'TextEncoder' | 'TextDecoder'> | undefined
}

export interface Channel {
  readonly hasSubscribers: boolean
  publish(message: unknown): void
}

interface Globals {
  process?: {
    env?: Environment
    versions?: Record<string, string>
    getBuiltinModule?: Builtin
  }
  document?: unknown
  importScripts?: unknown
  TextEncoder: typeof TextEncoder
  TextDecoder: typeof TextDecoder
}
const globals = globalThis as Partial<Globals>

/** Reads something of the runtime; undefined if that throws, as `process.getBuiltinModule` in an edge route of Next.js. */
function read<T>(get: () => T): T | undefined {
  try {
    return get()
  } catch {
    return undefined
  }
}

/** A module of Node; undefined in a runtime that has none. */
const builtin = ((name: 'node:util') => globals.process?.getBuiltinModule?.(name)) as Builtin

export const runtimeEnvironment = (): Environment => read(() => globals.process?.env) ?? {}

/** Browsers set their own User-Agent. */
export const isBrowser = (): boolean => globals.document !== undefined || typeof globals.importScripts === 'function'

/** As in `node/20.20.2`. Bun and Deno also list the Node version that they emulate. */
export function runtimeName(): string {
  const versions = read(() => globals.process?.versions) ?? {}
  const name = ['bun', 'deno', 'node'].find((each) => versions[each])
  return name ? `${name}/${versions[name]}` : 'web'
}

/** Prevents Node's leak warning for a signal that many calls share. */
export function allowManyListeners(signal: AbortSignal): void {
  // Throws for a signal that is not of Node.
  read(() => builtin('node:events')?.setMaxListeners(0, signal))
}

export const diagnosticsChannel = (name: string): Channel | undefined =>
  read(() => builtin('node:diagnostics_channel')?.channel(name))

/** jsdom under Jest has no coders of text. */
const coders = (): Partial<Globals> => (globals.TextEncoder ? globals : (read(() => builtin('node:util')) ?? globals))

export const newTextEncoder = (): TextEncoder => new (coders() as Globals).TextEncoder()

export const newTextDecoder = (): TextDecoder => new (coders() as Globals).TextDecoder()

/** A DOMException; in React Native, which has none, an Error of the same name. */
export const domException = (message: string, name: 'AbortError' | 'TimeoutError'): Error =>
  typeof DOMException === 'function' ? new DOMException(message, name) : Object.assign(new Error(message), { name })

/** Adds the members that the signals of polyfills lack, such as those of React Native: `reason` and `throwIfAborted`. */
export function fullSignal(signal: AbortSignal): AbortSignal {
  if (!signal.throwIfAborted) {
    const reason = lazily(() => domException('This operation was aborted', 'AbortError'))
    if (!('reason' in signal)) {
      Object.defineProperty(signal, 'reason', { get: () => ((signal as AbortSignal).aborted ? reason() : undefined) })
    }
    signal.throwIfAborted = () => {
      if (signal.aborted) throw signal.reason
    }
  }
  return signal
}

/** `URL.parse`, which Node.js 20 lacks. */
export const parseUrl = (text: string): URL | undefined => read(() => new URL(text))
