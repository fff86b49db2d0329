import type { Operation } from '../routes/index.js'
import type { Surface } from '../types.js'

interface Route {
  surface: Surface
  pattern: RegExp
  /** The names of the parameters in its pattern, in their order. */
  names: readonly string[]
  methods: Map<string, Operation>
  allow: string
}

interface RouteMatch {
  route: Route
  /** Decoded; undefined if the percent-encoding is invalid. */
  params: Readonly<Record<string, string | undefined>>
}

/** Find the route of a path below the base URL of a surface. */
export type FindRoute = (surface: Surface, path: string) => RouteMatch | undefined

export function createRouteTable(operations: readonly Operation[]): FindRoute {
  const routes = new Map<string, Route>()
  for (const operation of operations) {
    const { surface, path, method } = operation
    const name = `${surface} ${path}`
    const route = routes.get(name) ?? { surface, ...patternOf(path), methods: new Map(), allow: '' }
    route.methods.set(method, operation)
    const methods = [...route.methods.keys()].flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each]))
    route.allow = [...methods.sort(), 'OPTIONS'].join(', ')
    routes.set(name, route)
  }
  return (surface, path) => {
    for (const route of routes.values()) {
      const match = route.surface === surface ? route.pattern.exec(path) : null
      if (!match) continue
      const params: Record<string, string | undefined> = {}
      for (const [at, name] of route.names.entries()) params[name] = decode(match[at + 1] ?? '')
      return { route, params }
    }
    return undefined
  }
}

function patternOf(path: string): Pick<Route, 'pattern' | 'names'> {
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`)
  return { pattern, names: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name) }
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
