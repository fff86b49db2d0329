import type { Surface } from './types.js'

/** The base of a surface: a URL or a path, without a slash at its end. */
export interface Base {
  surface: Surface
  prefix: string
}

/** The surface of a URL or path, the path below its base, and the query. */
export interface RequestTarget {
  surface: Surface
  path: string
  query: string
}

export function basesOf(baseUrl: string, publicBaseUrl: string): Base[] {
  return longestFirst([
    { surface: 'annotation', prefix: withoutTrailingSlash(new URL(baseUrl).href) },
    { surface: 'workspace', prefix: withoutTrailingSlash(new URL(publicBaseUrl).href) },
  ])
}

/** The bases as paths of one origin; if both URLs have the same path, the workspace surface gets `/public/api/v1`. */
export function pathsOf(baseUrl: string, publicBaseUrl: string): Record<Surface, string> {
  const annotation = withoutTrailingSlash(new URL(baseUrl).pathname)
  const workspace = withoutTrailingSlash(new URL(publicBaseUrl).pathname)
  return { annotation, workspace: workspace === annotation ? `${annotation}/public/api/v1` : workspace }
}

/** Sort bases so that one base below another is found. */
export const longestFirst = (bases: readonly Base[]): Base[] =>
  [...bases].sort((a, b) => b.prefix.length - a.prefix.length)

/** The target of a URL or path; undefined below no base. The fragment is ignored. */
export function resolveTarget(bases: readonly Base[], url: string): RequestTarget | undefined {
  const [, location = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(url) ?? []
  for (const { surface, prefix } of bases) {
    if (!location.startsWith(prefix)) continue
    const path = location.slice(prefix.length)
    if (path === '' || path.startsWith('/')) return { surface, path, query }
  }
  return undefined
}

/** The target of a URL below no base: a path that the annotation surface does not have. */
export const unknownTarget: RequestTarget = { surface: 'annotation', path: '', query: '' }

/** A URL or a path without query, fragment and slashes at its end. */
export function withoutTrailingSlash(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
