import { endOfText } from './scan.js'

/** A value that `JSON.parse` drops, because its name follows again in the same object. */
export class DroppedValue {
  readonly name: string
  readonly #object: Container

  constructor(name: string, object: Container) {
    this.name = name
    this.#object = object
  }

  /** The path of its name; many values of a hostile file are counted without it. */
  get steps(): (string | number)[] {
    const steps: (string | number)[] = [this.name]
    for (let at = this.#object; at.parent !== undefined; at = at.parent) steps.unshift(at.step)
    return steps.slice(1)
  }
}

/**
 * The values of a JSON text that are not in the `value` that it was parsed to: all but the last one of equal names. A value
 * that is empty, or is written as the last one, is no loss. The parsed value shows in most texts that no name is repeated.
 */
export function droppedValues(text: string, value: unknown): DroppedValue[] {
  return countColons(text) === countNames(value) ? [] : droppedIn(text)
}

/** The number of colons behind strings; those behind a quote that begins a string are counted too. */
function countColons(json: string): number {
  let count = 0
  for (let found = json.indexOf(':'); found !== -1; found = json.indexOf(':', found + 1)) {
    let at = found - 1
    while (isBlank(json.charCodeAt(at))) at--
    if (json.charCodeAt(at) !== quote) continue
    const end = at
    while (json.charCodeAt(at - 1) === backslash) at--
    if ((end - at) % 2 === 0) count++
  }
  return count
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const each of value) if (typeof each === 'object') count += countNames(each)
    return count
  }
  for (const name in value) {
    const field = (value as Record<string, unknown>)[name]
    count += typeof field === 'object' ? 1 + countNames(field) : 1
  }
  return count
}

const backslash = 0x5c
const closeBrace = 0x7d
const closeBracket = 0x5d
const colon = 0x3a
const comma = 0x2c
const openBrace = 0x7b
const openBracket = 0x5b
const quote = 0x22

const isBlank = (code: number) => code === 32 || code === 10 || code === 13 || code === 9

/** Dropped values, those of inner values as lists. */
type Dropped = (DroppedValue | Dropped)[]

/** One value of an object in valid JSON; `dropped`: what is dropped inside it. */
interface Value {
  text: string
  dropped: Dropped
}

/** An object or array whose end is not reached; one without a parent holds the document. */
class Container {
  readonly parent: Container | undefined
  /** Its name or index in the parent. */
  readonly step: string | number
  /** The name or index of the value that is read. */
  name: string | number
  start = 0
  /** The dropped values inside the value that is read. */
  inner: Dropped = []
  awaitsName: boolean
  readonly #isObject: boolean
  readonly #values = new Map<string, Value[]>()
  readonly #dropped: Dropped = []

  constructor(parent: Container | undefined, isObject: boolean) {
    this.parent = parent
    this.step = parent?.name ?? ''
    this.#isObject = isObject
    this.awaitsName = isObject
    this.name = isObject ? '' : 0
  }

  endValue(text: string, end: number): void {
    const dropped = this.inner
    this.inner = []
    if (typeof this.name === 'number') {
      if (dropped.length > 0) this.#dropped.push(dropped)
      this.name++
    } else if (!this.awaitsName) {
      const value = { text: text.slice(this.start, end), dropped }
      const others = this.#values.get(this.name)
      if (others) others.push(value)
      else this.#values.set(this.name, [value])
    }
    this.awaitsName = this.#isObject
  }

  /** All that is dropped in it. Of a value that is dropped itself, the inner ones do not count. */
  close(): Dropped {
    for (const [name, values] of this.#values) {
      const last = values.pop() as Value
      if (last.dropped.length > 0) this.#dropped.push(last.dropped)
      const kept = last.text.trim()
      for (const { text } of values) {
        const lost = text.trim()
        if (lost !== kept && !empty.test(lost)) this.#dropped.push(new DroppedValue(name, this))
      }
    }
    return this.#dropped
  }
}

const empty = /^(?:null|"\s*"|\[\s*\]|\{\s*\})$/

function droppedIn(text: string): DroppedValue[] {
  let open = new Container(undefined, false)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfText(text, at)
      if (open.awaitsName) {
        open.name = JSON.parse(text.slice(at, end))
        open.awaitsName = false
      }
      at = end - 1
    } else if (code === colon) open.start = at + 1
    else if (code === comma) open.endValue(text, at)
    else if (code === openBrace || code === openBracket) open = new Container(open, code === openBrace)
    else if (code === closeBrace || code === closeBracket) {
      open.endValue(text, at)
      const { parent } = open as { parent: Container }
      parent.inner = open.close()
      open = parent
    }
  }
  return (open.inner as unknown[]).flat(Number.POSITIVE_INFINITY) as DroppedValue[]
}
