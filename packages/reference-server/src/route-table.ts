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
  segments: readonly string[]
  route: Route
}

/** Makes the table of some operations; done once a server, so that a request costs a look-up. */
export function routeTable(operations: readonly Operation[]): FindRoute {
  const fixed: Record<Surface, Map<string, RouteMatch>> = { annotation: new Map(), workspace: new Map() }
  const patterns: Record<Surface, Pattern[]> = { annotation: [], workspace: [] }
  for (const [surface, path, route] of routesOf(operations)) {
    if (path.includes('{')) patterns[surface].push({ segments: path.split('/'), route })
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

function findPattern(patterns: readonly Pattern[], path: string): RouteMatch | undefined {
  const segments = path.split('/')
  const found = patterns.find((pattern) => fits(pattern.segments, segments))
  if (!found) return undefined
  const params: Record<string, string | undefined> = {}
  for (const [i, name] of found.segments.entries()) {
    if (name.startsWith('{')) params[name.slice(1, -1)] = decode(segments[i] ?? '')
  }
  return { route: found.route, params }
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false
  return pattern.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]))
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
