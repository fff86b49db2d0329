import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createServer } from '@svc/reference-server/core'
import { describe, expect, it } from 'vitest'
import { type Description, type Json, type JsonObject, merge, operationsOf, type Part } from '../../../spec/merge.js'
import { specs } from '../../helpers/conformance.js'

const bases = { baseUrl: 'http://127.0.0.1:4010', publicBaseUrl: 'http://127.0.0.1:4010/public/api/v1' }
const textAt = async (path: string) => (await createServer(bases).fetch(bases.baseUrl + path)).text()
const whole: Description = JSON.parse(await textAt('/openapi.json'))
const parts = [
  { name: 'annotation', prefix: '', document: specs.annotation as unknown as Description },
  { name: 'workspace', prefix: '/public/api/v1', document: specs.workspace as unknown as Description },
]

/** A value with every reference followed. */
function followed(value: Json, { components }: Description): Json {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((each) => followed(each, { components } as Description))
  const [kind = '', name = ''] = String(value.$ref ?? '')
    .split('/')
    .slice(2)
  const target = components[kind]?.[name]
  if (target) return followed(target, { components } as Description)
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, followed(child, { components } as Description)]),
  )
}

/** The ways in which an operation wants a key, each as the scheme that it names. */
const keys = ({ security }: JsonObject, { components }: Description): Json[] =>
  (security as JsonObject[]).map((way) => Object.keys(way).map((name) => components.securitySchemes?.[name] ?? null))

const operations = parts.flatMap(({ name, prefix, document }) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    operationsOf(item).map((operation) => ({ surface: name, path: prefix + path, item, operation, document })),
  ),
)
const components = parts.flatMap(({ name, document }) =>
  Object.entries(document.components).flatMap(([kind, named]) =>
    Object.entries(named).map(([component, value]) => ({ surface: name, kind, component, value, document })),
  ),
)
describe('the description that the server gives of both surfaces', () => {
  it.each(operations.map((each) => ({ ...each, id: each.operation.operationId })))(
    'the joint description has $id of $surface with parameters, bodies, answers and examples',
    ({ path, item, operation, document }) => {
      const merged = whole.paths[path] as JsonObject
      const same = operationsOf(merged).find(({ operationId }) => operationId === operation.operationId) as JsonObject
      const { security: _, ...rest } = followed(operation, document) as JsonObject
      const { security: __, ...mergedRest } = followed(same, whole) as JsonObject
      expect(mergedRest).toEqual(rest)
      expect(followed(merged.parameters ?? [], whole)).toEqual(followed(item.parameters ?? [], document))
      const wanted = { security: (operation.security ?? document.security) as Json }
      expect(keys(same, whole)).toEqual(keys(wanted, document))
    },
  )

  it.each(components)(
    'the description of both surfaces has $kind/$component of the $surface surface',
    ({ surface, kind, component, value, document }) => {
      const named = Object.entries(whole.components[kind] ?? {}).filter(([name]) =>
        [component, surface + component].some((each) => each.toLowerCase() === name.toLowerCase()),
      )
      expect(named.map(([, each]) => followed(each, whole))).toContainEqual(followed(value, document))
    },
  )

  it('the description that the server gives of both surfaces has the tags of both, in two groups', () => {
    const tags = parts.map(({ document }) => document.tags)
    expect(whole.tags).toEqual(tags.flat())
    expect(whole['x-tagGroups']).toMatchObject(tags.map((group) => ({ tags: group.map(({ name }) => name) })))
  })

  it('the description of both surfaces is valid OpenAPI 3.1 by the rules that its two parts keep', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'description-'))
    try {
      const file = join(folder, 'openapi.json')
      await writeFile(file, JSON.stringify(whole))
      const [redocly, rules] = ['node_modules/@redocly/cli/bin/cli.js', 'spec/redocly.yaml'].map((path) =>
        fileURLToPath(new URL(`../../../${path}`, import.meta.url)),
      )
      const lint = [redocly ?? '', 'lint', file, `--config=${rules}`, '--format=json']
      const { stdout } = await promisify(execFile)(process.execPath, lint)
      expect(JSON.parse(stdout).problems).toEqual([])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('descriptions of two surfaces become one', () => {
  const part = (name: string, schemas: JsonObject, operationId = name): Part => ({
    name,
    prefix: '',
    document: {
      ...(parts[0] as Part).document,
      tags: [],
      paths: { [`/${operationId}`]: { get: { operationId } } },
      components: { schemas: schemas as Record<string, JsonObject> },
    },
  })
  const names = (...given: Part[]) => Object.keys(merge(given, whole.info, '/').components.schemas ?? {})

  it('descriptions of two surfaces become one with one component where both have the same, and two where they differ', () => {
    const one = { Same: { type: 'string' }, Other: { type: 'string' } }
    const two = { Same: { type: 'string' }, Other: { type: 'number' } }
    expect(names(part('one', one), part('two', two))).toEqual(['Same', 'OneOther', 'TwoOther'])
  })

  it('descriptions of two surfaces become one with two components where equal ones refer to what differs', () => {
    const holder = { Holder: { items: { $ref: '#/components/schemas/Held' } } }
    const one = { ...holder, Held: { type: 'string' } }
    const two = { ...holder, Held: { type: 'number' } }
    expect(names(part('one', one), part('two', two))).toEqual(['OneHolder', 'OneHeld', 'TwoHolder', 'TwoHeld'])
  })

  it('unless both define one operation', () => {
    expect(() => names(part('one', {}, 'same'), part('two', {}, 'same'))).toThrow('More than one part defines same.')
  })
})
