/**
 * The environment variables that `createClient` reads where the runtime has an environment. Options beat variables, and
 * an empty variable is unset.
 */
export interface Environment {
  /** The key for both surfaces: `apiKey`. */
  SVC_API_KEY?: string | undefined
  /** The key for surface A: `annotationApiKey`. Beats `SVC_API_KEY`. */
  SVC_ANNOTATION_API_KEY?: string | undefined
  /** The key for surface B: `workspaceApiKey`. Beats `SVC_API_KEY`. */
  SVC_WORKSPACE_API_KEY?: string | undefined
  /** Base URL of surface A: `baseUrl`. */
  SVC_BASE_URL?: string | undefined
  /** Base URL of surface B, with its version prefix: `publicBaseUrl`. */
  SVC_PUBLIC_BASE_URL?: string | undefined
}

type Builtin = {
  (name: 'node:events'): { setMaxListeners(n: number, target: AbortSignal): void } | undefined
  (name: 'node:diagnostics_channel'): { channel(name: string): Channel } | undefined
}

/** Where Node's own tools listen. */
export interface Channel {
  readonly hasSubscribers: boolean
  publish(message: unknown): void
}

type Runtime = {
  process?: {
    env?: Environment
    versions?: Record<string, string>
    getBuiltinModule?: Builtin
  }
  document?: unknown
  importScripts?: unknown
}
const runtime = globalThis as Runtime

export const runtimeEnvironment = (): Environment => runtime.process?.env ?? {}

/** A browser names itself, and forbids that others do. */
export const isBrowser = (): boolean => runtime.document !== undefined || typeof runtime.importScripts === 'function'

/** As in `node/20.20.2`. Bun and Deno also say which Node they resemble; that is not what they are. */
export function runtimeName(): string {
  const versions = runtime.process?.versions ?? {}
  const name = ['bun', 'deno', 'node'].find((each) => versions[each])
  return name ? `${name}/${versions[name]}` : 'web'
}

const known = new WeakSet<AbortSignal>()

/** One signal for many calls is a pattern, not the leak that Node warns of; each call takes its listener away. */
export function allowManyListeners(signal: AbortSignal): void {
  if (known.has(signal)) return
  known.add(signal)
  try {
    runtime.process?.getBuiltinModule?.('node:events')?.setMaxListeners(0, signal)
  } catch {
    // A signal of another make, which Node does not watch.
  }
}

export const diagnosticsChannel = (name: string): Channel | undefined =>
  runtime.process?.getBuiltinModule?.('node:diagnostics_channel')?.channel(name)
