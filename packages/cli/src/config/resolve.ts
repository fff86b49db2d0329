export interface Values {
  /** The key for both surfaces. */
  apiKey?: string | undefined
  annotationApiKey?: string | undefined
  workspaceApiKey?: string | undefined
  baseUrl?: string | undefined
  publicBaseUrl?: string | undefined
  project?: string | undefined
}

/** From the strongest to the weakest. */
export const layers = ['flag', 'environment', 'project file', 'profile'] as const
type Layer = (typeof layers)[number]

interface Origin {
  layer: Layer
  from: string
}

export interface Sourced {
  value: string
  origin: Origin
}

/** A source of values. `from`: its name, or the names of the environment variables. */
export interface Source {
  layer: Layer
  from: string | Readonly<Record<keyof Values, string>>
  values: Values
}

export interface Resolved {
  annotationApiKey: Sourced | undefined
  workspaceApiKey: Sourced | undefined
  baseUrl: Sourced | undefined
  publicBaseUrl: Sourced | undefined
  project: Sourced | undefined
}

export const variables: Readonly<Record<keyof Values, string>> = {
  apiKey: 'SVC_API_KEY',
  annotationApiKey: 'SVC_ANNOTATION_API_KEY',
  workspaceApiKey: 'SVC_WORKSPACE_API_KEY',
  baseUrl: 'SVC_BASE_URL',
  publicBaseUrl: 'SVC_PUBLIC_BASE_URL',
  project: 'SVC_PROJECT',
}

/** An empty variable is unset. */
export const fromEnvironment = (env: Record<string, string | undefined>): Source => ({
  layer: 'environment',
  from: variables,
  values: Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, env[variable] || undefined])),
})

/** The strongest source wins. Within one source, the key of a surface beats the key for both. */
export function resolveSettings(sources: readonly Source[]): Resolved {
  const strongest = [...sources].sort((a, b) => layers.indexOf(a.layer) - layers.indexOf(b.layer))
  const first = (...names: (keyof Values)[]): Sourced | undefined => {
    for (const source of strongest) {
      for (const name of names) {
        const value = source.values[name]
        if (value) return { value, origin: originOf(source, name) }
      }
    }
    return undefined
  }
  return {
    annotationApiKey: first('annotationApiKey', 'apiKey'),
    workspaceApiKey: first('workspaceApiKey', 'apiKey'),
    baseUrl: first('baseUrl'),
    publicBaseUrl: first('publicBaseUrl'),
    project: first('project'),
  }
}

const originOf = ({ layer, from }: Source, name: keyof Values): Origin => ({
  layer,
  from: typeof from === 'string' ? from : from[name],
})

export type Surface = 'annotation' | 'workspace'

export const namesOf = {
  annotation: { key: 'annotationApiKey', baseUrl: 'baseUrl' },
  workspace: { key: 'workspaceApiKey', baseUrl: 'publicBaseUrl' },
} as const satisfies Record<Surface, { key: keyof Resolved; baseUrl: keyof Resolved }>

/** A warning if the key of a surface comes from a stronger source than its base URL, and may be meant for another one. */
export function strayKey(settings: Resolved, surface: Surface): string | undefined {
  const key = settings[namesOf[surface].key]?.origin
  const address = settings[namesOf[surface].baseUrl]
  if (!key || !address || layers.indexOf(key.layer) >= layers.indexOf(address.origin.layer)) return undefined
  return `the key from ${key.from} goes to the base URL from ${address.origin.from}: ${address.value}`
}

/** A URL without user, password and query, which may be secret. */
export function shownUrl(value: string): string {
  if (!URL.canParse(value)) return '(not a URL)'
  const { protocol, host, pathname } = new URL(value)
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`
}
