import type { FormatDeclaration } from '../../contract/index.js'
import { asList, asObject, describe, isObject, type JsonObject } from '../../json/index.js'
import { elementsOf, holdsText, type Place, type Placed, within } from '../../model/index.js'

type Join = NonNullable<FormatDeclaration['join']>
type Container = Record<string | number, unknown>

/** A line of the log that does not fit the lines before it. */
class MisfitError extends Error {}

/**
 * The session after the changes in a log: kind 0 is the whole session, 1 sets the value at the path `k`, 2 cuts the list there
 * at the index `i` and adds elements to it, 3 deletes the value (`objectMutationLog.ts` of VS Code). Values with text that a
 * later line replaces are lost.
 */
export function sessionAfter(...[lines, lose, report]: Parameters<Join>): ReturnType<Join> {
  const root: Container = {}
  const places = new Map<unknown, Place>()
  const drop = (value: unknown) => {
    if (holdsText(value)) lose(value, 'earlier value', 'a later line of the log replaces it')
  }
  for (const { value: line, place } of lines) {
    try {
      apply(root, line, drop)
    } catch (error) {
      if (!(error instanceof MisfitError)) throw error
      report(error.message, place)
      return undefined
    }
    for (const request of requestsIn(line, place)) places.set(request.value, request.place)
  }
  const { session } = root
  if (!isObject(session)) return undefined
  const requests = elementsOf(session.requests, within(lines[0]?.place as Place, 'v', 'requests'))
  const messages = requests.map(({ value, place }) => ({ value, place: places.get(value) ?? place }))
  return [{ value: session, messages }]
}

/** The requests that a line brings, with their places in it. */
function requestsIn({ kind, k, v }: JsonObject, place: Place): Placed[] {
  const [field, index, ...inside] = asList(k)
  if (kind === 0) return elementsOf(asObject(v).requests, within(place, 'v', 'requests'))
  if (field !== 'requests' || inside.length > 0) return []
  return index === undefined ? elementsOf(v, within(place, 'v')) : [{ value: v, place: within(place, 'v') }]
}

function apply(root: Container, { kind, k, v, i }: JsonObject, drop: (value: unknown) => void): void {
  if (kind === 0) {
    if (!isObject(v)) throw new MisfitError(`expected a session in the line of kind 0; found ${describe(v)}`)
    drop(root.session)
    root.session = v
    return
  }
  if (kind !== 1 && kind !== 2 && kind !== 3)
    throw new MisfitError(`expected a change of kind 0, 1, 2 or 3; found kind ${JSON.stringify(kind)}`)
  if (root.session === undefined) throw new MisfitError('expected the whole session (kind 0) before its changes')
  const path = ['session', ...asList(k)]
  const key = path.pop() as string | number
  // VS Code writes and reads no change of the session itself.
  if (path.length === 0) throw new MisfitError('expected the path of a change in "k"; found none')
  const parent = path.reduce(valueIn, root)
  const before = ownValue(parent, key)
  if (kind === 2) return push(parent, key, v, i, drop)
  if (before !== v) drop(before)
  if (kind === 3) {
    if (Array.isArray(parent)) throw new MisfitError(`expected to delete a field; found the element ${key}`)
    delete parent[key]
  } else setValue(parent, key, v)
}

function push(parent: Container, key: string | number, added: unknown, from: unknown, drop: (value: unknown) => void) {
  const list = ownValue(parent, key) ?? []
  if (!Array.isArray(list)) throw new MisfitError(`expected a list at "${key}"; found ${describe(list)}`)
  if (from !== undefined && !isIndex(from, list.length))
    throw new MisfitError(`expected an index up to ${list.length} in "i"; found ${describe(from)}`)
  if (from !== undefined) for (const removed of list.splice(from)) drop(removed)
  for (const each of asList(added)) list.push(each)
  setValue(parent, key, list)
}

function valueIn(parent: Container, key: unknown): Container {
  const value = ownValue(parent, key)
  if (typeof value === 'object' && value !== null) return value as Container
  throw new MisfitError(`expected an object or a list at "${key}" of the path in "k"; found ${describe(value)}`)
}

/** No key reaches a prototype, such as `__proto__`. */
function ownValue(parent: Container, key: unknown): unknown {
  const isKey = Array.isArray(parent) ? isIndex(key, parent.length) : typeof key === 'string'
  if (!isKey) throw new MisfitError(`expected a path of names and indices in "k"; found ${describe(key)}`)
  return Object.hasOwn(parent, key as string) ? parent[key as string] : undefined
}

const isIndex = (key: unknown, length: number): key is number =>
  Number.isInteger(key) && (key as number) >= 0 && (key as number) <= length

const setValue = (parent: Container, key: string | number, value: unknown) =>
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true })
