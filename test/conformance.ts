import { readFileSync } from 'node:fs'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'
import type { Session } from './session.js'

type Surface = 'annotation' | 'workspace'
interface Spec {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
}

const load = (surface: Surface): Spec =>
  parse(readFileSync(new URL(`../spec/${surface}.openapi.yaml`, import.meta.url), 'utf8'))

export const specs: Record<Surface, Spec> = { annotation: load('annotation'), workspace: load('workspace') }

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
for (const [surface, spec] of Object.entries(specs)) ajv.addSchema(spec, surface)

const pointer = (...steps: string[]) =>
  steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Resolves a `$ref` inside its document; the pointer of where the value really stands. */
function resolve(surface: Surface, at: string): { at: string; value: Record<string, unknown> } {
  const steps = at
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const value = steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)?.[step], specs[surface])
  const ref = (value as { $ref?: string })?.$ref
  return ref ? resolve(surface, ref.slice(1)) : { at, value: value as Record<string, unknown> }
}

/** What is wrong with an answer, by the spec: an undeclared status, a missing header, a body of another shape. */
export async function nonconformities(
  { request, response }: Session['exchanges'][number],
  server: Session['server'],
): Promise<string[]> {
  const url = new URL(request.url)
  const publicPath = new URL(server.publicBaseUrl).pathname
  const surface: Surface = url.pathname.startsWith(`${publicPath}/`) ? 'workspace' : 'annotation'
  const path = surface === 'workspace' ? url.pathname.slice(publicPath.length) : url.pathname
  const template = Object.keys(specs[surface].paths).find((each) =>
    new RegExp(`^${each.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
  )
  const method = request.method.toLowerCase()
  const operation = template && specs[surface].paths[template]?.[method]
  if (!template || !operation) return [`${request.method} ${path} is not in the spec`]
  const where = `${operation.operationId} ${response.status}`
  if (!operation.responses[response.status]) return [`${where} is not declared`]
  const declared = resolve(surface, pointer('paths', template, method, 'responses', String(response.status)))
  const schemaAt = `${declared.at}${pointer('content', 'application/json', 'schema')}`
  const validate = ajv.getSchema(`${surface}#${schemaAt}`)
  if (!validate) return [`${where} has no schema`]
  const problems: string[] = []
  if (!response.headers.get('content-type')?.startsWith('application/json')) problems.push(`${where} is not JSON`)
  if (!validate(await response.clone().json())) problems.push(`${where} ${ajv.errorsText(validate.errors)}`)
  for (const name of Object.keys((declared.value.headers as object) ?? {})) {
    const header = resolve(surface, `${declared.at}${pointer('headers', name)}`).value
    if (header.required && !response.headers.has(name)) problems.push(`${where} lacks ${name}`)
  }
  return problems
}
