import type { Surface } from '@svc/client'
import { CliError, exit } from '../../exit.js'
import { jsonOr } from '../../request-options.js'

export interface ApiFlags {
  rawField?: readonly (readonly [string, string])[]
  field?: readonly (readonly [string, string])[]
  input?: string
  header?: Record<string, string>
  include?: boolean
  paginate?: boolean
  surface?: Surface
}

/** A request as it was typed, before it has a body from a file. */
export interface Typed {
  method: string
  /** With a slash in front, relative to the base URL of its surface. */
  path: string
  query: URLSearchParams
  surface: Surface
  headers: Record<string, string>
  /** The fields, where they are the body. */
  body: string | undefined
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const ofAnnotation = /^\/(v1(\/|$)|health$|openapi|docs(\/|$))/

/** What is to be sent, or a usage error. */
export function typedRequest(givenMethod: string, givenPath: string, flags: ApiFlags): Typed {
  const method = givenMethod.toUpperCase()
  if (!methods.includes(method)) {
    throw new CliError(exit.usage, `${givenMethod} is no method.`, {
      hint: `svc api METHOD PATH, where the method is one of ${methods.join(', ')}`,
    })
  }
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(givenPath)) {
    throw new CliError(exit.usage, 'A path is expected, not a whole address: a key goes to its own base URL only.', {
      hint: 'give what comes after the base URL, as in /projects; `svc config list` shows the base URLs',
    })
  }
  const [beforeHash = ''] = givenPath.split('#')
  const at = beforeHash.indexOf('?')
  const bare = at < 0 ? beforeHash : beforeHash.slice(0, at)
  const path = bare.startsWith('/') ? bare : `/${bare}`
  if (/\/(\.|%2e){1,2}(\/|$)/i.test(path) || /[\\{}\s]/.test(path)) {
    throw new CliError(exit.usage, `${JSON.stringify(givenPath)} is no path that can be sent as it is.`, {
      hint: 'percent-encode what is special in it, and leave out . and ..',
    })
  }
  const query = new URLSearchParams(at < 0 ? '' : beforeHash.slice(at + 1))
  const fields = [...(flags.rawField ?? []), ...(flags.field ?? [])]
  const inQuery = method === 'GET' || method === 'HEAD' || flags.input !== undefined
  if (inQuery) for (const [name, value] of fields) query.append(name, value)
  return {
    method,
    path,
    query,
    surface: flags.surface ?? (ofAnnotation.test(path) ? 'annotation' : 'workspace'),
    headers: flags.header ?? {},
    body: inQuery || fields.length === 0 ? undefined : bodyOf(flags),
  }
}

const bodyOf = ({ rawField = [], field = [] }: ApiFlags): string =>
  JSON.stringify(Object.fromEntries([...rawField, ...field.map(([name, text]) => [name, jsonOr(text, text)])]))

/** Whether a request may store something, so that a lost answer leaves it unknown. An annotation is not stored. */
export const stores = ({ method, path }: Pick<Typed, 'method' | 'path'>): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(method) && path !== '/v1/annotations'
