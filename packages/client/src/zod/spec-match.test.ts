import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import * as schemas from './index.js'

type Node = { [key: string]: unknown }
interface Spec {
  components: { schemas: Record<string, Node>; parameters?: Record<string, Node> }
  paths: Record<string, Record<string, { parameters?: Node[] }>>
}
const load = (surface: string): Spec =>
  parse(readFileSync(new URL(`../../../../spec/${surface}.openapi.yaml`, import.meta.url), 'utf8'))
const workspace = load('workspace')
const components = { ...load('annotation').components.schemas, ...workspace.components.schemas }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const nodes = (value: unknown) => (Array.isArray(value) ? value.filter(isNode) : [])
const sorted = (value: unknown) => (Array.isArray(value) ? [...value].sort() : [])
const named = (places: Record<string, Node> | undefined, ref: unknown): Node => {
  const found = places?.[String(ref).split('/').at(-1) ?? '']
  if (!found) throw new Error(`The spec has no ${ref}.`)
  return found
}
const component = (name: string) => named(components, name)
const propertiesOf = (name: string) => component(name).properties as Record<string, Node>

const plainBounds = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'format',
  'const',
  'minimum',
  'maximum',
]
// zod keeps integers inside what a number holds exactly.
const isBound = (value: unknown) => value !== undefined && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER

/** A JSON Schema in normal form: references resolved, allOf merged, plain types in a union as a list. */
function demands(schema: Node): Node {
  if (schema.$ref) return demands(named(components, schema.$ref))
  const parts = [...nodes(schema.allOf), ...nodes(schema.anyOf)].map(demands)
  const types = [schema.type, ...parts.map(({ type }) => type)].flat().filter((type) => type !== undefined)
  const demanded: Node = Object.assign({}, ...parts)
  for (const bound of plainBounds) if (isBound(schema[bound])) demanded[bound] = schema[bound]
  if (types.length > 0) demanded.type = [...new Set(types)].sort()
  if (schema.enum) demanded.enum = sorted(schema.enum)
  if (schema.required) demanded.required = sorted(schema.required)
  if (isNode(schema.items)) demanded.items = demands(schema.items)
  const own = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, demands(property)])
  const properties = Object.assign({}, ...parts.map((part) => part.properties), Object.fromEntries(own))
  if (Object.keys(properties).length > 0) demanded.properties = properties
  // Silence, `true` and `{}` are all an open object.
  const others = schema.additionalProperties
  if (others === false) demanded.additionalProperties = false
  if (isNode(others) && Object.keys(others).length > 0) demanded.additionalProperties = demands(others)
  return demanded
}

/** Query parameters of an operation as one object. */
function query(path: string, isMeant: (name: string) => boolean): Node {
  const parameters = nodes(workspace.paths[path]?.get?.parameters).map((parameter) =>
    parameter.$ref ? named(workspace.components.parameters, parameter.$ref) : parameter,
  )
  const meant = parameters.filter(({ name, in: place }) => place === 'query' && isMeant(String(name)))
  return { type: 'object', properties: Object.fromEntries(meant.map(({ name, schema }) => [name, schema])) }
}
const isPaging = (name: string) => name === 'page' || name === 'limit'

/** Schemas that stand for something else than the component of their name. */
const counterparts: Record<string, Node | undefined> = {
  Annotation: component('AnnotationResponse'),
  Health: component('HealthResponse'),
  TurnUpload: component('Turn'),
  Role: propertiesOf('Turn').role,
  ProjectPage: component('ProjectListResponse'),
  TranscriptPage: component('TranscriptListResponse'),
  PageQuery: query('/projects', isPaging),
  TranscriptFilters: query('/projects/{projectId}/transcripts', (name) => !isPaging(name)),
}
const counterpart = (name: string) => counterparts[name] ?? component(name)

describe('the schema', () => {
  it.each(Object.entries(schemas))('%s requires exactly the fields that the spec requires', (name, schema) => {
    expect(demands(z.toJSONSchema(schema) as Node)).toEqual(demands(counterpart(name)))
  })

  it('exists for every component of the spec, except envelopes that the client unwraps', () => {
    const envelopes = /^(AnnotatorList|Project|ProjectDetail|Transcript|TranscriptDetail)Response$/
    const wordless = ['OpenObject', 'Unspecified', 'ProcessingTime']
    const covered = Object.keys(schemas).map(counterpart)
    const missing = Object.entries(components)
      .filter(([name, node]) => !covered.includes(node) && !envelopes.test(name) && !wordless.includes(name))
      .map(([name]) => name)
    expect(missing).toEqual([])
  })
})
