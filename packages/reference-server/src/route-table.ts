import type { Operation } from './operation.js'
import type { Surface } from './types.js'

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

interface Pattern {
  /** The segments; undefined where a parameter stands. */
  parts: readonly (string | undefined)[]
  names: readonly { at: number; name: string }[]
  route: Route
}

/** Makes the table of some operations; done once a server, so that a request costs a look-up. */
export function routeTable(operations: readonly Operation[]): FindRoute {
  const fixed: Record<Surface, Map<string, RouteMatch>> = { annotation: new Map(), workspace: new Map() }
  const patterns: Record<Surface, Pattern[]> = { annotation: [], workspace: [] }
  for (const [surface, path, route] of routesOf(operations)) {
    if (path.includes('{')) patterns[surface].push(patternOf(path, route))
    else fixed[surface].set(path, { route, params: {} })
  }
  return (surface, path) => fixed[surface].get(path) ?? findPattern(patterns[surface], path)
}

function routesOf(operations: readonly Operation[]): [Surface, string, Route][] {
  const routes = new Map<string, [Surface, string, Route]>()
  for (const operation of operations) {
    const { surface, path, method } = operation
    const entry = routes.get(`${surface} ${path}`) ?? [surface, path, { methods: new Map(), allow: '' }]
    entry[2].methods.set(method, operation)
    const names = [...entry[2].methods.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
    entry[2].allow = [...names.sort(), 'OPTIONS'].join(', ')
    routes.set(`${surface} ${path}`, entry)
  }
  return [...routes.values()]
}

function patternOf(path: string, route: Route): Pattern {
  const segments = path.split('/')
  const isName = (segment: string) => segment.startsWith('{')
  return {
    parts: segments.map((segment) => (isName(segment) ? undefined : segment)),
    names: segments.flatMap((segment, at) => (isName(segment) ? [{ at, name: segment.slice(1, -1) }] : [])),
    route,
  }
}

function findPattern(patterns: readonly Pattern[], path: string): RouteMatch | undefined {
  const segments = path.split('/')
  for (const { parts, names, route } of patterns) {
    if (fits(parts, segments)) return { route, params: paramsOf(names, segments) }
  }
  return undefined
}

function fits(parts: Pattern['parts'], segments: readonly string[]): boolean {
  if (parts.length !== segments.length) return false
  for (let i = 0; i < parts.length; i += 1) {
    const part = parts[i]
    if (part === undefined ? segments[i] === '' : part !== segments[i]) return false
  }
  return true
}

function paramsOf(names: Pattern['names'], segments: readonly string[]): RouteMatch['params'] {
  const params: Record<string, string | undefined> = {}
  for (const { at, name } of names) params[name] = decode(segments[at] ?? '')
  return params
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
