import { createClient, limits, roles } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { declaredErrors } from '../packages/client/src/resources/declared-errors.js'
import { committed, generated } from '../spec/generate.js'
import { specs } from './conformance.js'
import { createSession } from './session.js'

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

describe('the spec', () => {
  it('the spec is what the committed modules were generated from', async () => {
    for (const { path, text } of await generated()) expect(await committed(path), path).toBe(text)
  })

  it('describes every parameter, response, schema and field', () => {
    const named = new Set(['properties', 'schemas', 'parameters', 'responses', 'headers', 'requestBodies'])
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
    expect(Object.keys(declaredErrors[operationId as keyof typeof declaredErrors])).toEqual(refusals)
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
