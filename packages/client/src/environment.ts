/** The environment variables that the client reads where the runtime has an environment. An empty one is unset. */
export interface Environment {
  SVC_API_KEY?: string | undefined
  SVC_ANNOTATION_API_KEY?: string | undefined
  SVC_WORKSPACE_API_KEY?: string | undefined
  SVC_BASE_URL?: string | undefined
  SVC_PUBLIC_BASE_URL?: string | undefined
}

type Runtime = {
  process?: {
    env?: Environment
    versions?: Record<string, string>
    getBuiltinModule?: (name: 'node:events') => { setMaxListeners(n: number, target: AbortSignal): void }
  }
  document?: unknown
  importScripts?: unknown
}
const runtime = globalThis as Runtime

export const runtimeEnvironment = (): Environment => runtime.process?.env ?? {}

/** A browser names itself, and forbids that others do. */
export const inBrowser = (): boolean => runtime.document !== undefined || typeof runtime.importScripts === 'function'

export const runtimeName = (): string =>
  runtime.process?.versions?.node ? `node/${runtime.process.versions.node}` : 'web'

/** One signal for many calls is a pattern, not the leak that Node warns of; each call takes its listener away. */
export function manyMayListen(signal: AbortSignal): void {
  runtime.process?.getBuiltinModule?.('node:events').setMaxListeners(0, signal)
}
