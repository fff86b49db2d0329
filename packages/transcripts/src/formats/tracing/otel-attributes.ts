import { idOf, parseJsonText } from '../../conversation/index.js'
import { asList, getOrInsert, isObject, type JsonObject, objectsOf, textOf, wordsOf } from '../../json/index.js'
import { type Place, type Placed, within } from '../../model/index.js'
import { byTime } from './span.js'

/** The attributes of a span, event or log record, with their places. */
export class Attributes {
  readonly #values = new Map<string, { value: unknown; index: number | string }>()
  readonly #place: Place

  /**
   * @param attributes a list of `{ key, value }` as in OTLP, or an object
   * @param field the name of their field
   */
  constructor(attributes: unknown, place: Place, field = 'attributes') {
    this.#place = within(place, field)
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

  text(...keys: readonly string[]): string | undefined {
    return keys.map((key) => textOf(this.get(key))).find((text) => text !== undefined)
  }

  has(key: string): boolean {
    return this.#values.has(key)
  }

  some(is: (key: string) => boolean): boolean {
    return [...this.#values.keys()].some(is)
  }

  placeOf(key: string): Place {
    const index = this.#values.get(key)?.index
    return index === undefined ? this.#place : within(this.#place, index)
  }

  /**
   * The objects in numbered attributes: for `p.0.role` and `p.0.calls.0.name` those under `p`, in order, each with the
   * place of its first attribute.
   */
  spread(prefix: string): { value: JsonObject; place: Place }[] {
    const found = new Map<number, { tree: Tree; place: Place }>()
    const start = `${prefix}.`
    for (const [key, { value, index }] of this.#values) {
      if (!key.startsWith(start)) continue
      const [number, ...path] = key.slice(prefix.length + 1).split('.')
      const at = Number(number)
      if (!Number.isInteger(at) || path.length === 0 || path.length > deepest) continue
      const one = getOrInsert(found, at, () => ({ tree: new Map(), place: within(this.#place, index) }))
      plant(one.tree, path, value)
    }
    const ordered = [...found].sort(([a], [b]) => a - b)
    return ordered.map(([, { tree, place }]) => ({ value: objectOf(tree), place }))
  }
}

const deepest = 12
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

/** A branch with only numbers as names is a list. */
function branchOf(tree: Tree): unknown {
  const numbers = [...tree.keys()].map(Number)
  if (!numbers.every(Number.isInteger)) return objectOf(tree)
  const ordered = [...tree].sort(([a], [b]) => Number(a) - Number(b))
  return ordered.map(([, value]) => (value instanceof Map ? branchOf(value) : value))
}

const scalars = ['stringValue', 'intValue', 'boolValue', 'doubleValue', 'bytesValue']

/** The value in an OTLP box; any other value stays. */
export function plain(value: unknown, depth = 0): unknown {
  if (!isObject(value)) return value
  const scalar = scalars.find((field) => field in value)
  if (scalar !== undefined) return scalar === 'intValue' ? wholeNumber(value.intValue) : value[scalar]
  if (depth > deepest) return undefined
  if (isObject(value.arrayValue)) return asList(value.arrayValue.values).map((each) => plain(each, depth + 1))
  if (isObject(value.kvlistValue)) {
    const fields = objectsOf(value.kvlistValue.values)
    return Object.fromEntries(fields.map((each) => [textOf(each.key) ?? '', plain(each.value, depth + 1)]))
  }
  return value
}

/** A number too large for JavaScript stays a text. */
function wholeNumber(value: unknown): unknown {
  const number = typeof value === 'string' ? Number(value) : undefined
  return number === undefined || !Number.isSafeInteger(number) ? value : number
}

/** An event of a span, or a log record. */
export interface OtelEvent {
  name: string
  start: bigint | undefined
  attributes: Attributes
  body: unknown
  place: Place
}

const roles: ReadonlyMap<string, string> = new Map([
  ['gen_ai.system.message', 'system'],
  ['gen_ai.user.message', 'user'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
  ['gen_ai.choice', 'assistant'],
])

export function isMessageEvent(name: string): boolean {
  return roles.has(name) || name === detailsEvent || contentEvents.has(name)
}

/** The event with the message attributes that are not on the span itself. */
export const detailsEvent = 'gen_ai.client.inference.operation.details'

const contentEvents: ReadonlySet<string> = new Set(['gen_ai.content.prompt', 'gen_ai.content.completion'])

/** The messages in events: the first choice and all after it are the output. */
export function messagesOfEvents(events: readonly OtelEvent[]): { input: Placed[]; output: Placed[] } {
  const known = events.filter(({ name }) => roles.has(name)).sort(byTime)
  const choice = known.findIndex(({ name }) => name === 'gen_ai.choice')
  const messages = known.map((event) => ({
    value: messageOf(event),
    place: event.place,
    isAlternative: isAlternative(event),
  }))
  const at = choice === -1 ? messages.length : choice
  return { input: messages.slice(0, at), output: messages.slice(at) }
}

function isAlternative({ name, attributes, body }: OtelEvent): boolean {
  const index = attributes.get('index') ?? (isObject(body) ? body.index : undefined)
  return name === 'gen_ai.choice' && index !== undefined && Number(idOf(index)) !== 0
}

function messageOf({ name, attributes, body }: OtelEvent): JsonObject {
  const role = roles.get(name) ?? 'user'
  const fields = bodyOf(attributes, body)
  const inner = innerOf(fields)
  const { content = null, tool_calls: calls, name: speaker } = inner
  const called = parseJsonText(calls)
  const id = fields.id ?? fields.tool_call_id ?? inner.tool_call_id
  return {
    role: textOf(inner.role) ?? role,
    content: contentOf(content),
    ...(Array.isArray(called) && { tool_calls: called }),
    ...(typeof speaker === 'string' && { name: speaker }),
    ...(role === 'tool' && { tool_call_id: id }),
  }
}

function innerOf(fields: JsonObject): JsonObject {
  const message = parseJsonText(fields.message)
  if (isObject(message)) return message
  return textOf(message) === undefined ? fields : { content: textOf(message) }
}

/** Content may be the JSON text of a list of parts; tool results stay texts. */
function contentOf(content: unknown): unknown {
  if (isObject(content)) return JSON.stringify(content)
  const parts = parseJsonText(content)
  const isParts = Array.isArray(parts) && parts.every((part) => isObject(part) && typeof part.type === 'string')
  return isParts && parts.length > 0 ? parts : content
}

const bodyFields = wordsOf('message content role tool_calls id tool_call_id name index finish_reason')

function bodyOf(attributes: Attributes, body: unknown): JsonObject {
  const whole = parseJsonText(body ?? attributes.get('gen_ai.event.content'))
  const own: JsonObject = {}
  for (const key of bodyFields) {
    if (attributes.has(key)) own[key] = attributes.get(key)
  }
  if (textOf(whole) !== undefined) return { content: textOf(whole), ...own }
  return isObject(whole) ? { ...own, ...whole } : own
}
