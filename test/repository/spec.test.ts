import { createClient, limits, roles } from '@svc/client'
import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { declaredErrors } from '../../packages/client/src/resources/index.js'
import { committed, generated } from '../../spec/generate.js'
import { operations as askedOperations } from '../features/mock/rules/operations-fixture.js'
import { pointer, resolve, specs } from '../helpers/conformance.js'
import { createSession } from '../helpers/session.js'

type Schema = { maxLength?: number; minLength?: number; minItems?: number; maxItems?: number; enum?: string[] }
const schemas = (
  specs.workspace as unknown as { components: { schemas: Record<string, { properties: Record<string, Schema> }> } }
).components.schemas
const upload = schemas.TranscriptUpload?.properties ?? {}

const operations = Object.entries(specs).flatMap(([surface, spec]) =>
  Object.entries(spec.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, operation]) => ({ surface, path, method: method.toUpperCase(), ...operation })),
  ),
)

/** The named examples of the JSON of a request or an answer. */
function examplesAt(surface: keyof typeof specs, at: string): { summary?: string; value: unknown }[] {
  const { content } = resolve(surface, at).value as {
    content?: Record<string, { examples?: Record<string, { summary?: string; value: unknown }> }>
  }
  return Object.values(content?.['application/json']?.examples ?? {})
}

describe('the spec', () => {
  it('the spec is what the committed modules were generated from', async () => {
    for (const { path, text } of await generated()) expect(await committed(path), path).toBe(text)
  })

  it('describes every parameter, response, schema and field', () => {
    const named = new Set(['properties', 'schemas', 'parameters', 'responses', 'headers'])
    const bare: string[] = []
    const visit = (node: unknown, place: string, key: string) => {
      if (typeof node !== 'object' || node === null) return
      for (const [name, child] of Object.entries(node)) {
        const isDescribed =
          Object.hasOwn(child, 'description') || (key !== 'properties' && Object.hasOwn(child, '$ref'))
        if (named.has(key) && !isDescribed) bare.push(`${place}/${name}`)
        if (!['example', 'examples', 'default'].includes(name))
          visit(child, `${place}/${name}`, named.has(key) ? '' : name)
      }
    }
    for (const [surface, spec] of Object.entries(specs)) visit(spec, surface, '')
    expect(bare).toEqual([])
  })

  it('the spec has a named example for every request and answer, which the reference server takes', async () => {
    const bare: string[] = []
    for (const { surface, path, method, operationId, requestBody, responses } of operations) {
      const examplesOf = (...steps: string[]) => {
        const at = pointer('paths', path, method.toLowerCase(), ...steps)
        const examples = examplesAt(surface as keyof typeof specs, at)
        if (examples.length === 0 || examples.some(({ summary }) => !summary)) bare.push(at)
        return examples
      }
      for (const status of Object.keys(responses)) examplesOf('responses', status)
      for (const { value } of requestBody ? examplesOf('requestBody') : []) {
        const { server } = createSession()
        const { id } = server.world.createProject({ name: 'P' }).record
        const base = surface === 'workspace' ? server.publicBaseUrl : server.baseUrl
        const body = JSON.stringify(value).replace(/hp-[0-9a-f-]{36}/, id)
        const headers = { authorization: `Bearer ${referenceKey}`, 'content-type': 'application/json' }
        const url = base + path.replace('{projectId}', id)
        const { status } = await server.fetch(new Request(url, { method, headers, body }))
        expect([200, 201, 501], `${operationId} ${body}`).toContain(status)
      }
    }
    expect(bare).toEqual([])
  })

  it('the rules of the mock ask about every operation that needs a key', () => {
    const needsKey = operations.filter(({ security }) => security?.length !== 0)
    const named = needsKey.map(({ method, path }) => `${method} ${path}`)
    expect(askedOperations.map(({ name }) => name).sort()).toEqual(named.sort())
  })

  it("the spec has the bounds that the client's limits name", () => {
    expect(upload.name).toMatchObject({ minLength: limits.name.min, maxLength: limits.name.max })
    expect(upload.turns).toMatchObject({ minItems: limits.turns.min, maxItems: limits.turns.max })
    for (const field of ['modelName', 'language', 'sourceSystem', 'externalId', 'externalUserId'] as const) {
      expect(upload[field]?.maxLength, field).toBe(limits[field].max)
    }
    expect(schemas.Turn?.properties.role?.enum).toEqual([...roles])
  })

  it.each(operations.map(({ operationId, ...rest }) => ({ operationId, ...rest })))(
    'the spec has a verb for $operationId',
    ({ operationId }) => {
      const svc = createClient({ environment: {} })
      const verb = operationId.split('.').reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], svc)
      expect(verb).toBeTypeOf('function')
    },
  )

  it.each(operations)('declares the refusals that the client knows of $operationId', ({ operationId, responses }) => {
    const refusals = Object.keys(responses).filter((status) => Number(status) >= 300)
    expect(Object.keys(declaredErrors()[operationId as keyof ReturnType<typeof declaredErrors>])).toEqual(refusals)
  })

  it.each(operations)(
    'the spec has an operation of the reference server for $method $path',
    async ({ surface, path, method }) => {
      const { server } = createSession()
      const base = surface === 'workspace' ? server.publicBaseUrl : server.baseUrl
      const response = await server.fetch(new Request(base + path.replaceAll(/\{.+?\}/g, 'x'), { method }))
      // Without a key an operation answers 401, or 200 where it needs none; a path that is not served is 404 or 405.
      expect([200, 401]).toContain(response.status)
    },
  )
})
