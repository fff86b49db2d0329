import { isDeepStrictEqual } from 'node:util'

/** A value of a description, as YAML gives it. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

export interface Operation extends JsonObject {
  operationId: string
  summary: string
  tags: string[]
  responses: { [status: string]: JsonObject }
}

/** The parts of an OpenAPI document that are read here. */
export interface Description extends JsonObject {
  info: {
    title: string
    version: string
    summary: string
    description: string
    contact: JsonObject
    license: JsonObject
  }
  tags: { name: string; description: string }[]
  paths: { [path: string]: JsonObject }
  components: { [kind: string]: { [name: string]: JsonObject } }
}

/** One surface of the merged description. */
export interface Part {
  /** In camel case; the prefix of component names that differ between the parts. */
  name: string
  document: Description
  /** The prefix of every path. */
  prefix: string
  /** The server of the paths. Default: the server of the merged description. */
  server?: string
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const reference = /^#\/components\/([^/]+)\/([^/]+)$/

/**
 * Merge descriptions. Components with equal name and content are shared; those with only an equal name get the name of their
 * part as prefix. Throws if two parts define the same path, tag or operation.
 */
export function merge(parts: readonly Part[], info: Description['info'], server: string): Description {
  const renamed = collisions(parts.map(({ document }) => document))
  const tags: Record<string, Description['tags'][number]> = {}
  const paths: Description['paths'] = {}
  const components: Description['components'] = {}
  const operationIds: Record<string, string> = {}
  for (const part of parts) {
    const rename = (kind: string, name: string) => (renamed.has(`${kind}/${name}`) ? prefixed(part.name, name) : name)
    for (const tag of part.document.tags) put(tags, tag.name, tag)
    for (const [path, item] of Object.entries(part.document.paths)) {
      for (const operation of operationsOf(item)) put(operationIds, operation.operationId, part.name)
      const servers = part.server === undefined ? {} : { servers: [{ url: part.server }] }
      put(paths, part.prefix + path, { ...servers, ...secured(withNames(item, rename), part.document, rename) })
    }
    for (const [kind, named] of Object.entries(part.document.components)) {
      components[kind] ??= {}
      for (const [name, value] of Object.entries(named)) {
        put(components[kind], rename(kind, name), withNames(value, rename), isDeepStrictEqual)
      }
    }
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: server }],
    tags: Object.values(tags),
    // An extension of Redoc and Scalar; OpenAPI 3.2 has tag groups.
    'x-tagGroups': parts.map(({ document }) => ({
      name: document.info.title,
      tags: document.tags.map(({ name }) => name),
    })),
    paths,
    components,
  }
}

export const operationsOf = (item: JsonObject): Operation[] =>
  methods.filter((method) => method in item).map((method) => item[method] as Operation)

type Rename = (kind: string, name: string) => string

const prefixed = (part: string, name: string) => (/^[a-z]/.test(name) ? part + upper(name) : upper(part) + upper(name))
const upper = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** The components that cannot be shared, as `kind/name`: different ones with an equal name, and those that refer to them. */
function collisions(documents: readonly Description[]): Set<string> {
  const all = new Map<string, JsonObject[]>()
  for (const { components } of documents) {
    for (const [kind, named] of Object.entries(components)) {
      for (const [name, value] of Object.entries(named)) {
        const key = `${kind}/${name}`
        all.set(key, [...(all.get(key) ?? []), value])
      }
    }
  }
  const common = [...all].filter(([, values]) => values.length > 1)
  const found = new Set<string>()
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const [key, [first, ...others]] of common) {
      const shared = others.every((other) => isDeepStrictEqual(first, other))
      if (!shared || references(first as JsonObject).some((each) => found.has(each))) found.add(key)
    }
  }
  return found
}

const targetOf = (key: string, value: Json) => (key === '$ref' ? (reference.exec(String(value)) ?? []).slice(1) : [])

/** The components that a value refers to, as `kind/name`. */
function references(value: Json): string[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, child]) => {
    const target = targetOf(key, child)
    return target.length > 0 ? [target.join('/')] : references(child)
  })
}

/** A copy with renamed references. */
function withNames<Value extends Json>(value: Value, rename: Rename): Value {
  const copy = (node: Json): Json => {
    if (Array.isArray(node)) return node.map(copy)
    if (node === null || typeof node !== 'object') return node
    return Object.fromEntries(
      Object.entries(node).map(([key, child]) => {
        const [kind, name] = targetOf(key, child)
        return [key, kind && name ? `#/components/${kind}/${rename(kind, name)}` : copy(child)]
      }),
    )
  }
  return copy(value) as Value
}

/** A path whose operations have their own `security`, with new names: the defaults of the parts may differ. */
function secured(item: JsonObject, { security }: Description, rename: Rename): JsonObject {
  const own = { ...item }
  for (const method of methods.filter((each) => each in item)) {
    const operation = item[method] as Operation
    const needs = (operation.security ?? security ?? []) as JsonObject[]
    const named = needs.map((need) =>
      Object.fromEntries(Object.entries(need).map(([name, scopes]) => [rename('securitySchemes', name), scopes])),
    )
    own[method] = { ...operation, security: named }
  }
  return own
}

function put<Value>(
  target: Record<string, Value>,
  key: string,
  value: Value,
  isSame = (_one: unknown, _other: unknown) => false,
) {
  if (key in target && !isSame(target[key], value)) throw new Error(`More than one part defines ${key}.`)
  target[key] = value
}
