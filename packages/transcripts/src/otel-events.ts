import { decoded } from './decoded.js'
import { isObject, type JsonObject } from './json.js'
import type { Placed } from './logged-messages.js'
import { fieldsOf, type Known, type Losses } from './losses.js'
import { byTime } from './nanos.js'
import type { Attributes } from './otel-attributes.js'
import type { Place } from './turn.js'

/** An event of a span, or a log record that stands for one. */
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

/** True if an event bears what was said in the call of a model. */
export function isMessageEvent(name: string): boolean {
  return roles.has(name) || name === detailsEvent || contentEvents.has(name)
}

/** The event that bears the attributes with the messages, where they are not on the span itself. */
export const detailsEvent = 'gen_ai.client.inference.operation.details'

const contentEvents: ReadonlySet<string> = new Set(['gen_ai.content.prompt', 'gen_ai.content.completion'])

/** The messages in events: those before the first choice are the input, the choice and those after it the output. */
export function messagesOfEvents(events: readonly OtelEvent[]): { given: Placed[]; gave: Placed[] } {
  const known = events.filter(({ name }) => roles.has(name)).sort(byTime)
  const choice = known.findIndex(({ name }) => name === 'gen_ai.choice')
  const messages = known.map((event) => ({ value: messageOf(event), place: event.place, isOther: isOther(event) }))
  const at = choice === -1 ? messages.length : choice
  return { given: messages.slice(0, at), gave: messages.slice(at) }
}

/** Of several choices the first was taken. */
function isOther({ name, attributes, body }: OtelEvent): boolean {
  const index = attributes.get('index') ?? (isObject(body) ? body.index : undefined)
  return name === 'gen_ai.choice' && index !== undefined && Number(index) !== 0
}

/** Counts what is not read of an event: of a message what stands beside its words, of any other event all words. */
export function countEvent(event: OtelEvent, isRead: (key: string) => boolean, losses: Losses): void {
  const { name, attributes, body } = event
  const isMessage = roles.has(name)
  if (isMessage) {
    const fields = bodyOf(attributes, body)
    const inner = innerOf(fields)
    losses.addTexts(fields, inner === fields ? messageFields : outerFields, 'event ')
    if (inner !== fields) losses.addTexts(inner, messageFields, 'event ')
  } else losses.addTexts({ body: decoded(body) }, none, 'event ')
  attributes.countUnread((key) => isRead(key) || ofEvents.has(key) || (isMessage && bodyFields.has(key)), losses)
}

const none: Known = new Set()
const ofEvents: ReadonlySet<string> = new Set(['gen_ai.event.content', 'gen_ai.system', 'event.name'])
const messageFields = fieldsOf('content role tool_calls id tool_call_id name index finish_reason')
const bodyFields: ReadonlySet<string> = new Set(['message', ...messageFields.keys()])
/** Of a body that holds a message. */
const outerFields = fieldsOf('message id tool_call_id index finish_reason')

function messageOf({ name, attributes, body }: OtelEvent): JsonObject {
  const role = roles.get(name) ?? 'user'
  const fields = bodyOf(attributes, body)
  const inner = innerOf(fields)
  const { content = null, tool_calls: calls, name: speaker } = inner
  const called = decoded(calls)
  const id = fields.id ?? fields.tool_call_id ?? inner.tool_call_id
  return {
    role: typeof inner.role === 'string' ? inner.role : role,
    content: contentOf(content),
    ...(Array.isArray(called) && { tool_calls: called }),
    ...(typeof speaker === 'string' && { name: speaker }),
    ...(role === 'tool' && { tool_call_id: id }),
  }
}

/** The message in a body, or the body itself. */
function innerOf(fields: JsonObject): JsonObject {
  const message = decoded(fields.message)
  return isObject(message) ? message : typeof message === 'string' ? { content: message } : fields
}

/** Content may be the text of a list of parts; what a tool answered stays text. */
function contentOf(content: unknown): unknown {
  if (isObject(content)) return JSON.stringify(content)
  const parts = decoded(content)
  const isParts = Array.isArray(parts) && parts.every((part) => isObject(part) && typeof part.type === 'string')
  return isParts && parts.length > 0 ? parts : content
}

function bodyOf(attributes: Attributes, body: unknown): JsonObject {
  const whole = decoded(body ?? attributes.get('gen_ai.event.content'))
  const own: JsonObject = {}
  for (const key of bodyFields) {
    if (attributes.has(key)) own[key] = attributes.get(key)
  }
  if (typeof whole === 'string') return { content: whole, ...own }
  return isObject(whole) ? { ...own, ...whole } : own
}
