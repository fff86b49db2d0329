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

/** As much of an OpenAPI document as is read here. */
export interface Description extends JsonObject {
  info: { title: string; version: string; summary: string; description: string; license: JsonObject }
  tags: { name: string; description: string }[]
  paths: { [path: string]: JsonObject }
  components: { [kind: string]: { [name: string]: JsonObject } }
}

/** The description of one surface, and where its paths stand in the merged one. */
export interface Part {
  /** In camel case; it begins the new name of a component whose name another part uses for something else. */
  name: string
  document: Description
  /** What every path begins with. */
  prefix: string
  /** The server of the part's paths, for a part that does not stand on the server of the whole. */
  server?: string
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const reference = /^#\/components\/([^/]+)\/([^/]+)$/

/**
 * One description of several: paths under their prefixes, tags, security and components kept. Components that are equal
 * in name and content are shared; those that are equal in name alone get the part's name before theirs. Throws where
 * two parts define the same path, tag or operation.
 */
export function merge(parts: readonly Part[], info: Description['info'], server: string): Description {
  const renamed = collisions(parts.map(({ document }) => document))
  const tags: Record<string, Description['tags'][number]> = {}
  const paths: Description['paths'] = {}
  const components: Description['components'] = {}
  const seen: Record<string, string> = {}
  for (const part of parts) {
    const rename = (kind: string, name: string) => (renamed.has(`${kind}/${name}`) ? prefixed(part.name, name) : name)
    for (const tag of part.document.tags) put(tags, tag.name, tag)
    for (const [path, item] of Object.entries(part.document.paths)) {
      for (const operation of operationsOf(item)) put(seen, operation.operationId, part.name)
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
    // Known to Redoc and Scalar; OpenAPI itself has groups of tags from 3.2 on.
    'x-tagGroups': parts.map(({ document }) => ({
      name: document.info.title,
      tags: document.tags.map(({ name }) => name),
    })),
    paths,
    components,
  }
}

/** The operations of a path. */
export const operationsOf = (item: JsonObject): Operation[] =>
  methods.filter((method) => method in item).map((method) => item[method] as Operation)

type Rename = (kind: string, name: string) => string

const prefixed = (part: string, name: string) => (/^[a-z]/.test(name) ? part + upper(name) : upper(part) + upper(name))
const upper = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** What cannot be shared, as `kind/name`: equal names of unequal things, and what refers to one of those. */
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

/** What a value refers to, as `kind/name`. */
function references(value: Json): string[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, child]) => {
    const [, kind, name] = key === '$ref' ? (reference.exec(String(child)) ?? []) : []
    return name === undefined ? references(child) : [`${kind}/${name}`]
  })
}

/** A copy whose references carry the new names. */
function withNames<Value extends Json>(value: Value, rename: Rename): Value {
  const copy = (node: Json): Json => {
    if (Array.isArray(node)) return node.map(copy)
    if (node === null || typeof node !== 'object') return node
    return Object.fromEntries(
      Object.entries(node).map(([key, child]) => {
        const [, kind, name] = key === '$ref' ? (reference.exec(String(child)) ?? []) : []
        return [key, kind && name ? `#/components/${kind}/${rename(kind, name)}` : copy(child)]
      }),
    )
  }
  return copy(value) as Value
}

/** A path whose operations say their security themselves, by the new names: the parts' defaults may differ. */
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
