import type { Surface } from './types.js'

/** A place under which a surface is served: a URL or a path, without a slash at its end. */
export interface Base {
  surface: Surface
  prefix: string
}

/** Where a URL or a path leads: the surface, the path below its base, the query. */
export interface RequestTarget {
  surface: Surface
  path: string
  query: string
}

/** The bases of both surfaces as URLs, the longer one first. */
export function basesOf(baseUrl: string, publicBaseUrl: string): Base[] {
  return longestFirst([
    { surface: 'annotation', prefix: withoutTrailingSlash(new URL(baseUrl).href) },
    { surface: 'workspace', prefix: withoutTrailingSlash(new URL(publicBaseUrl).href) },
  ])
}

/** The bases as paths of one origin; where both URLs have the same path, the workspace surface gets `/public/api/v1`. */
export function pathsOf(baseUrl: string, publicBaseUrl: string): Record<Surface, string> {
  const annotation = withoutTrailingSlash(new URL(baseUrl).pathname)
  const workspace = withoutTrailingSlash(new URL(publicBaseUrl).pathname)
  return { annotation, workspace: workspace === annotation ? `${annotation}/public/api/v1` : workspace }
}

/** Longer prefixes first, so that a base under another base is found. */
export const longestFirst = (bases: readonly Base[]): Base[] =>
  [...bases].sort((a, b) => b.prefix.length - a.prefix.length)

/** Whose base a URL or a path stands under; undefined when it is under none. */
export function resolveTarget(bases: readonly Base[], url: string): RequestTarget | undefined {
  const hash = url.indexOf('#')
  const bare = hash < 0 ? url : url.slice(0, hash)
  const mark = bare.indexOf('?')
  const whole = mark < 0 ? bare : bare.slice(0, mark)
  const query = mark < 0 ? '' : bare.slice(mark + 1)
  for (const { surface, prefix } of bases) {
    if (!whole.startsWith(prefix)) continue
    const path = whole.slice(prefix.length)
    if (path === '' || path.startsWith('/')) return { surface, path, query }
  }
  return undefined
}

/** The target of what stands under no base: no path of the annotation surface. */
export const unknownTarget: RequestTarget = { surface: 'annotation', path: '', query: '' }

/** A URL or a path without query, fragment and slashes at its end. */
export function withoutTrailingSlash(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
