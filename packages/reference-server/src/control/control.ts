import { bearer } from '../auth.js'
import { httpDate } from '../clock.js'
import { errorResponse, type IncomingRequest, type OutgoingResponse, originOf } from '../http-messages.js'
import { Refusal } from '../refusal.js'
import { parseJson, suggestion } from '../validation/index.js'
import { type ControlOperation, type ControlTarget, controlOperations } from './operations.js'
import { requestsPage } from './requests-page.js'

const prefix = '/_svc'

/** Large enough for a project with some thousand turns. */
const maxBytes = 64 * 2 ** 20

/** True for a request to the control plane. */
export const isControl = ({ surface, path }: IncomingRequest): boolean =>
  surface === 'annotation' && (path === prefix || path.startsWith(`${prefix}/`))

/**
 * Create the handler of the paths under `/_svc/`, for requests with the token. Without a token it answers all of them with a 404
 * that says how to turn it on.
 */
export function createControl(target: ControlTarget, token: string | undefined) {
  return async (request: IncomingRequest): Promise<OutgoingResponse> => {
    const { headers, ...response } = await answer(request, target, token).catch((error: Error) => {
      // The world, the faults and the clock refuse invalid input with these; any other error is a failure of the server.
      const isInvalidInput = ['Error', 'RangeError'].includes(error.name)
      return errorResponse('annotation', isInvalidInput ? new Refusal(400, error.message) : error, target.onError)
    })
    return { ...response, headers: { ...headers, date: httpDate(target.clock.now()) } }
  }
}

const off = 'The control plane is off: start svc mock with --control, or give the server the option control: { token }.'

async function answer(
  request: IncomingRequest,
  target: ControlTarget,
  token: string | undefined,
): Promise<OutgoingResponse> {
  const { method, path, header, rejection } = request
  if (rejection) throw rejection
  if (token === undefined) throw new Refusal(404, off)
  // Other pages of loopback may use the surfaces, but not the control plane.
  const origin = header('origin')
  if (origin !== null && origin !== originOf(request))
    throw new Refusal(403, 'Pages of other origins cannot use the control plane.')
  const name = path.slice(prefix.length)
  if (name === '' && method === 'GET') return { status: 302, headers: { location: `${prefix.slice(1)}/` }, body: '' }
  // The page holds nothing: it asks with the token of its link.
  if (name === '/' && method === 'GET') return requestsPage()
  if (name === '/openapi.json' && method === 'GET') return describe(request)
  if (bearer(header('authorization')) !== token)
    throw new Refusal(401, 'The control plane needs its token as bearer token.')
  const { operation, params } = find(method, name)
  const query = readQuery(request.query, operation)
  const body = method === 'POST' || method === 'PUT' ? await readBody(request) : undefined
  const value = operation.run({ target, params, query, body })
  const headers = operation.headers?.(target) ?? {}
  if (value === undefined) return { status: 204, headers, body: '' }
  return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** The description, with the address under which it was asked for. */
async function describe(request: IncomingRequest): Promise<OutgoingResponse> {
  const url = (originOf(request) ?? '') + prefix
  const { text } = await import('../generated/description-control.js')
  const body = text.replace('%CONTROL_URL%', () => JSON.stringify(url).slice(1, -1))
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

const patterns = controlOperations.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

function find(method: string, path: string): { operation: ControlOperation; params: Record<string, string> } {
  const ofPath = patterns.filter(({ pattern }) => pattern.test(path))
  const match = ofPath.find(({ operation }) => operation.method === method)
  if (match) return { operation: match.operation, params: { ...match.pattern.exec(path)?.groups } }
  const routes = controlOperations.map((each) => `${each.method} ${each.path.slice(1)}`)
  const meant = suggestion(`${method} ${path.slice(1)}`, routes)
  throw new Refusal(404, `The control plane has no ${method} ${path.slice(1)}${meant}; it has: ${routes.join(', ')}.`)
}

function readQuery(text: string, { query: parameters = [] }: ControlOperation): Record<string, string> {
  const query = Object.fromEntries(new URLSearchParams(text))
  for (const name of Object.keys(query)) {
    if (!parameters.includes(name)) throw new Refusal(400, `?${name}: no such parameter${suggestion(name, parameters)}`)
  }
  return query
}

async function readBody(request: IncomingRequest): Promise<unknown> {
  const body = await request.readBody(maxBytes)
  return body.length === 0 ? {} : parseJson(body, request.header('content-type'), 400)
}
