import { readFileSync } from 'node:fs'
import { type Ambiguities, defaultAmbiguities } from '@svc/reference-server/core'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'
import { departureOf } from '../features/mock/departures.js'
import type { Session } from './session.js'

type Surface = 'annotation' | 'workspace'
type Operation = { operationId: string; security?: object[]; requestBody?: object; responses: Record<string, object> }
interface Spec {
  paths: Record<string, Record<string, Operation>>
}

const load = (surface: Surface): Spec =>
  parse(readFileSync(new URL(`../../spec/${surface}.openapi.yaml`, import.meta.url), 'utf8'))

export const specs: Record<Surface, Spec> = { annotation: load('annotation'), workspace: load('workspace') }

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
for (const [surface, spec] of Object.entries(specs)) ajv.addSchema(spec, surface)

/** The one envelope of each surface, for what the spec does not declare; the workspace spec has one for each status. */
const envelopes: Record<Surface, object> = {
  annotation: { $ref: 'annotation#/components/schemas/ErrorResponse' },
  workspace: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message', 'type', 'code'],
        properties: { message: { type: 'string' }, type: { type: 'string' }, code: { type: 'integer' } },
      },
    },
  },
}

export const pointer = (...steps: string[]) =>
  steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Resolves a `$ref` inside its document; the pointer of where the value really stands. */
export function resolve(surface: Surface, at: string): { at: string; value: Record<string, unknown> } {
  const steps = at
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const value = steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)?.[step], specs[surface])
  const ref = (value as { $ref?: string })?.$ref
  return ref ? resolve(surface, ref.slice(1)) : { at, value: value as Record<string, unknown> }
}

const templates = Object.entries(specs).flatMap(([surface, { paths }]) =>
  Object.entries(paths).map(([template, item]) => {
    const pattern = new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
    return { surface, template, item, pattern }
  }),
)

/** The operation of a path below its surface, and where it stands in the spec. */
function operationAt(surface: Surface, method: string, path: string): (Operation & { at: string }) | undefined {
  const found = templates.find((each) => each.surface === surface && each.pattern.test(path))
  const operation = found?.item[method.toLowerCase()]
  return found && operation && { ...operation, at: pointer('paths', found.template, method.toLowerCase()) }
}

/** An answer and what was asked, however it was sent. */
export interface RawExchange {
  surface: Surface
  method: string
  /** Below the base URL of the surface; the query is not looked at. */
  path: string
  status: number
  /** By their names in lower case. */
  headers: Readonly<Record<string, string>>
  text: string
}

/** The violations of the spec in an answer: an undeclared status, a missing header, a body of another shape. */
export async function nonconformities(
  { request, response, ambiguities }: Session['exchanges'][number],
  server: Session['server'],
): Promise<string[]> {
  const { pathname } = new URL(request.url)
  const publicPath = new URL(server.publicBaseUrl).pathname
  const surface: Surface = pathname.startsWith(`${publicPath}/`) ? 'workspace' : 'annotation'
  const path = surface === 'workspace' ? pathname.slice(publicPath.length) : pathname
  const { method } = request
  const { status } = response
  const operation = operationAt(surface, method, path)
  if (!operation) return [`${method} ${path} is not in the spec`]
  const departure = departureOf(ambiguities, operation.operationId, status)
  if (!operation.responses[departure.status] && !departure.isUndeclared)
    return [`${operation.operationId} ${status} is not declared`]
  const headers = Object.fromEntries(response.headers)
  const exchange = { surface, method, path, status, headers, text: await response.clone().text() }
  return rawNonconformities(exchange, ambiguities)
}

/** The same of an answer to anything: a refusal that the spec does not declare is to be the envelope of the surface. */
export function rawNonconformities(
  { surface, method, headers, text, ...rest }: RawExchange,
  ambiguities: Ambiguities = defaultAmbiguities,
): string[] {
  const path = rest.path.replace(/[?#].*/s, '')
  const operation = operationAt(surface, method === 'HEAD' ? 'GET' : method, path)
  const { status, body } = departureOf(ambiguities, operation?.operationId, rest.status)
  const where = `${operation?.operationId ?? `${method} ${path}`} ${rest.status}`
  const hasNoBody = method === 'HEAD' || status === 204 || status === 304 || body === 'none'
  const bodiless = hasNoBody && text !== '' ? [`${where} has a body`] : []
  if (isPreflight(method, status) || isBeside(path, status)) return bodiless
  const at = operation?.responses[status] ? `${operation.at}${pointer('responses', String(status))}` : undefined
  const declared = at === undefined ? undefined : resolve(surface, at)
  if (!declared && status < 400) return [...bodiless, `${where} is not declared`]
  if (body === 'any') return bodiless
  const schema = declared
    ? { $ref: `${surface}#${declared.at}${pointer('content', 'application/json', 'schema')}` }
    : envelopes[surface]
  const isJson = headers['content-type']?.startsWith('application/json')
  return [
    ...bodiless,
    ...(isJson || body === 'none' ? [] : [`${where} is not JSON`]),
    ...(hasNoBody ? [] : misshapen(schema, text)).map((problem) => `${where} ${problem}`),
    ...(declared ? lacking(surface, declared, headers) : []).map((name) => `${where} lacks ${name}`),
  ]
}

const isPreflight = (method: string, status: number) => method === 'OPTIONS' && status === 204
/** The interface description and the control of the reference server are beside the interface. */
const isBeside = (path: string, status: number) => status < 400 && /^\/(openapi\.json|docs|_svc\/.*)?$/.test(path)

const compiled = new Map<string, ReturnType<typeof ajv.compile>>()

function misshapen(schema: object, text: string): string[] {
  const name = JSON.stringify(schema)
  const validate = compiled.get(name) ?? ajv.compile(schema)
  compiled.set(name, validate)
  try {
    return validate(JSON.parse(text)) ? [] : [ajv.errorsText(validate.errors)]
  } catch {
    return ['holds no JSON']
  }
}

/** The headers that an answer must have and has not. */
function lacking(surface: Surface, { at, value }: ReturnType<typeof resolve>, has: RawExchange['headers']): string[] {
  const required = (name: string) => resolve(surface, `${at}${pointer('headers', name)}`).value.required
  return Object.keys((value.headers as object) ?? {}).filter((name) => required(name) && !has[name.toLowerCase()])
}
