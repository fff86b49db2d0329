import type { Operation } from '../routes/index.js'
import type { Surface } from '../types.js'

/** What stands under one path: its operations by method, and the `Allow` of that path. */
export interface Route {
  methods: Map<string, Operation>
  allow: string
}

/** A path that was found, with its parameters decoded; undefined where the percent-encoding is broken. */
export interface RouteMatch {
  route: Route
  params: Readonly<Record<string, string | undefined>>
}

/** Finds the route of a path below the base URL of a surface. */
export type FindRoute = (surface: Surface, path: string) => RouteMatch | undefined

/** Makes the table of some operations; done once a server. */
export function routeTable(operations: readonly Operation[]): FindRoute {
  const routes = new Map<string, Route & { surface: Surface; pattern: RegExp }>()
  for (const operation of operations) {
    const { surface, path, method } = operation
    const name = `${surface} ${path}`
    const route = routes.get(name) ?? { surface, pattern: patternOf(path), methods: new Map(), allow: '' }
    route.methods.set(method, operation)
    const methods = [...route.methods.keys()].flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each]))
    route.allow = [...methods.sort(), 'OPTIONS'].join(', ')
    routes.set(name, route)
  }
  const all = [...routes.values()]
  return (surface, path) => {
    for (const route of all) {
      const match = route.surface === surface ? route.pattern.exec(path) : null
      if (!match) continue
      const params = Object.entries(match.groups ?? {}).map(([name, segment]) => [name, decode(segment)])
      return { route, params: Object.fromEntries(params) }
    }
    return undefined
  }
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
