import { countSentences } from './facts.js'
import { isObject, type JsonObject, textOf } from './json.js'
import type { Losses } from './losses.js'
import { type Place, within } from './turn.js'

/** The attributes of a span, an event or a log record, as values, each with its place. */
export class Attributes {
  readonly #values = new Map<string, { value: unknown; index: number | string }>()
  readonly #place: Place
  /** The names that may have a number among their steps. */
  #numbered: string[] | undefined

  /** @param attributes a list of `{ key, value }` as OTLP has it, or an object as some exporters write it */
  constructor(attributes: unknown, place: Place) {
    this.#place = within(place, 'attributes')
    if (Array.isArray(attributes)) {
      attributes.forEach((each: unknown, index) => {
        if (isObject(each) && typeof each.key === 'string')
          this.#values.set(each.key, { value: plain(each.value), index })
      })
    } else if (isObject(attributes)) {
      for (const [key, value] of Object.entries(attributes)) this.#values.set(key, { value: plain(value), index: key })
    }
  }

  get(key: string): unknown {
    return this.#values.get(key)?.value
  }

  /** The first of several names under which a text stands. */
  text(...keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const value = this.get(key)
      if (typeof value === 'string' && value !== '') return value
    }
    return undefined
  }

  has(key: string): boolean {
    return this.#values.has(key)
  }

  keys(): Iterable<string> {
    return this.#values.keys()
  }

  /** Counts those in which there are words and that nobody reads; ids, flags and the like keep house. */
  countUnread(isRead: (key: string) => boolean, losses: Losses): void {
    for (const [key, { value }] of this.#values) {
      if (!isRead(key)) countSentences({ [key]: value }, none, 'attribute ', losses)
    }
  }

  placeOf(key: string): Place {
    const index = this.#values.get(key)?.index
    return index === undefined ? this.#place : within(this.#place, index)
  }

  /**
   * The objects that are spread over attributes with numbers in their names: of `p.0.role`, `p.0.calls.0.name` those
   * under `p`, in the order of the numbers, with the place of the first attribute of each.
   */
  spread(prefix: string): { value: JsonObject; place: Place }[] {
    this.#numbered ??= [...this.#values.keys()].filter((key) => numbered.test(key))
    if (this.#numbered.length === 0) return []
    const found = new Map<number, { tree: Tree; place: Place }>()
    const start = `${prefix}.`
    for (const key of this.#numbered) {
      if (!key.startsWith(start)) continue
      const { value, index } = this.#values.get(key) ?? { value: undefined, index: key }
      const [number, ...path] = key.slice(prefix.length + 1).split('.')
      const at = Number(number)
      if (!Number.isInteger(at) || path.length === 0 || path.length > deepest) continue
      const one = found.get(at) ?? { tree: new Map(), place: within(this.#place, index) }
      found.set(at, one)
      plant(one.tree, path, value)
    }
    if (found.size === 0) return []
    const ordered = [...found].sort(([a], [b]) => a - b)
    return ordered.map(([, { tree, place }]) => ({ value: objectOf(tree), place }))
  }
}

const deepest = 12
const none: ReadonlySet<string> = new Set()

/** A step of a name that may be read as a number, or is empty, which is read as 0. */
const numbered = /\.[\s\d+.-]/

type Tree = Map<string, unknown>

function plant(tree: Tree, path: readonly string[], value: unknown): void {
  let branch = tree
  for (const step of path.slice(0, -1)) {
    const next = branch.get(step)
    const below: Tree = next instanceof Map ? next : new Map()
    branch.set(step, below)
    branch = below
  }
  const last = path.at(-1) ?? ''
  if (!(branch.get(last) instanceof Map)) branch.set(last, value)
}

function objectOf(tree: Tree): JsonObject {
  return Object.fromEntries([...tree].map(([key, value]) => [key, value instanceof Map ? branchOf(value) : value]))
}

/** A branch whose names are all numbers is a list. */
function branchOf(tree: Tree): unknown {
  const numbers = [...tree.keys()].map(Number)
  if (!numbers.every(Number.isInteger)) return objectOf(tree)
  const ordered = [...tree].sort(([a], [b]) => Number(a) - Number(b))
  return ordered.map(([, value]) => (value instanceof Map ? branchOf(value) : value))
}

/** The value in one of OTLP's boxes; a value without a box as it is. */
export function plain(value: unknown, depth = 0): unknown {
  if (!isObject(value)) return value
  if ('stringValue' in value) return value.stringValue
  if ('intValue' in value) return wholeNumber(value.intValue)
  if ('boolValue' in value) return value.boolValue
  if ('doubleValue' in value) return value.doubleValue
  if ('bytesValue' in value) return value.bytesValue
  if (depth > deepest) return undefined
  if (isObject(value.arrayValue)) return valuesOf(value.arrayValue).map((each) => plain(each, depth + 1))
  if (isObject(value.kvlistValue)) {
    const fields = valuesOf(value.kvlistValue).filter(isObject)
    return Object.fromEntries(fields.map((each) => [textOf(each.key) ?? '', plain(each.value, depth + 1)]))
  }
  return value
}

/** The text of a number too large to be held as one stays that text. */
function wholeNumber(value: unknown): unknown {
  const number = typeof value === 'string' ? Number(value) : undefined
  return number === undefined || !Number.isSafeInteger(number) ? value : number
}

function valuesOf({ values }: JsonObject): readonly unknown[] {
  return Array.isArray(values) ? values : []
}
