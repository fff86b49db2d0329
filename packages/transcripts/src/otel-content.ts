import { decoded } from './decoded.js'
import { isObject, type JsonObject, textOf } from './json.js'
import { messagesIn, othersMarked, otherWords, type Placed, type Side } from './logged-messages.js'
import { fieldsOf, type Losses } from './losses.js'
import type { Attributes } from './otel-attributes.js'
import { messagesOfEvents, type OtelEvent } from './otel-events.js'

/**
 * The input or output of a span, in any generation of the conventions; the first that holds any message counts.
 *
 * @param isCall whether it is the call of a model, whose words count whatever they are
 */
export function contentOfSpan(
  { sources, events, isCall }: { sources: readonly Attributes[]; events: readonly OtelEvent[]; isCall: boolean },
  side: Side,
  losses: Losses,
): Placed[] {
  for (const attributes of sources) {
    for (const read of side === 'user' ? given : gave) {
      const messages = read(attributes, losses)
      if (messages.length > 0) return messages
    }
  }
  const said = messagesOfEvents(events)[side === 'user' ? 'given' : 'gave']
  if (said.length > 0 || !isCall) return said
  for (const attributes of sources) {
    for (const key of otherKeys[side]) {
      const [words] = attributes.has(key) ? otherWords(attributes.get(key), side, attributes.placeOf(key)) : []
      if (words) return [words]
    }
  }
  return []
}

const otherKeys = {
  user: ['gen_ai.input.messages', 'gen_ai.prompt', 'ai.prompt', 'traceloop.entity.input', 'input.value'],
  assistant: ['gen_ai.output.messages', 'gen_ai.completion', 'traceloop.entity.output', 'output.value'],
}

type Read = (attributes: Attributes, losses: Losses) => Placed[]

/** The attributes in which content may stand, in one generation of the conventions or another. */
const contentKeys = new Set([
  ...[...otherKeys.user, ...otherKeys.assistant, 'gen_ai.system_instructions'],
  ...['ai.response.text', 'ai.response.toolCalls', 'ai.response.object'],
  ...['ai.result.text', 'ai.result.toolCalls', 'ai.result.object'],
])
/** Those whose names go on with a number. */
const numberedKeys: string[] = []

/** True if content is read from an attribute. */
export function isContentKey(key: string): boolean {
  return contentKeys.has(key) || numberedKeys.some((prefix) => key.startsWith(prefix))
}

const given: readonly Read[] = [
  ofInputMessages,
  ofNumbered('gen_ai.prompt', openllmetry, 'user'),
  ofNumbered('llm.prompts', openllmetry, 'user'),
  ofNumbered('llm.input_messages', openinference, 'user'),
  ofJson('user', 'ai.prompt.messages', 'pydantic_ai.all_messages', 'all_messages_events', 'gen_ai.prompt'),
  ofJson('user', 'ai.prompt', 'events', 'langfuse.observation.input', 'traceloop.entity.input', 'input.value'),
  ofJson('user', 'gcp.vertex.agent.llm_request'),
]

const gave: readonly Read[] = [
  ofJson('assistant', 'gen_ai.output.messages'),
  ofAnswers('gen_ai.completion'),
  ofAnswers('llm.completions'),
  ofNumbered('llm.output_messages', openinference, 'assistant'),
  ofVercel,
  ofJson('assistant', 'gen_ai.completion', 'langfuse.observation.output', 'traceloop.entity.output', 'output.value'),
  ofJson('assistant', 'gcp.vertex.agent.llm_response'),
]

function ofJson(side: Side, ...keys: readonly string[]): Read {
  for (const key of keys) contentKeys.add(key)
  return (attributes, losses) => {
    for (const key of keys) {
      const messages = attributes.has(key) ? messagesIn(attributes.get(key), side, attributes.placeOf(key), losses) : []
      if (messages.length > 0) return messages
    }
    return []
  }
}

type FromNumbered = (each: { value: JsonObject; place: Placed['place'] }, side: Side, losses: Losses) => Placed

function ofNumbered(prefix: string, read: FromNumbered, side: Side): Read {
  numberedKeys.push(`${prefix}.`)
  return (attributes, losses) => attributes.spread(prefix).map((each) => read(each, side, losses))
}

/** Of numbered answers the first was taken. */
function ofAnswers(prefix: string): Read {
  const read = ofNumbered(prefix, openllmetry, 'assistant')
  return (attributes, losses) => othersMarked(read(attributes, losses).map((message) => [message]))
}

const inputMessages = ofJson('user', 'gen_ai.input.messages')

/** The instructions stand beside the messages, unless these begin with them. */
function ofInputMessages(attributes: Attributes, losses: Losses): Placed[] {
  const messages = inputMessages(attributes, losses)
  const key = 'gen_ai.system_instructions'
  const first = messages[0]?.value
  if (!attributes.has(key) || (isObject(first) && first.role === 'system')) return messages
  const parts = decoded(attributes.get(key))
  const value = Array.isArray(parts) ? { role: 'system', parts } : { role: 'system', content: textOf(parts) ?? '' }
  return [{ value, place: attributes.placeOf(key) }, ...messages]
}

/** `gen_ai.prompt.0.role`, `.content`, `.tool_calls.0.name` */
function openllmetry({ value, place }: Parameters<FromNumbered>[0], side: Side, losses: Losses): Placed {
  losses.addTexts(value, messageFields)
  const { role = side, content, tool_calls: calls, tool_call_id: id } = value
  return { value: messageOf(role, content, calls, id), place }
}

/** `llm.input_messages.0.message.role`, `.content`, `.tool_calls.0.tool_call.function.name` */
function openinference({ value, place }: Parameters<FromNumbered>[0], side: Side, losses: Losses): Placed {
  const message = isObject(value.message) ? value.message : value
  losses.addTexts(value, openinferenceFields)
  const { role = side, content, contents, tool_calls: calls, tool_call_id: id } = message
  const parts = Array.isArray(contents) ? contents.map(partOf) : undefined
  const called = Array.isArray(calls) ? calls.map((each) => (isObject(each) ? (each.tool_call ?? each) : each)) : calls
  return { value: messageOf(role, parts ?? content, called, id), place }
}

const messageFields = fieldsOf('role content tool_calls tool_call_id finish_reason')
const openinferenceFields = new Map([
  ...fieldsOf('contents', { message: fieldsOf('role content contents tool_calls tool_call_id finish_reason') }),
  ...messageFields,
])

function partOf(part: unknown): unknown {
  const content = isObject(part) && isObject(part.message_content) ? part.message_content : part
  if (!isObject(content) || content.type !== 'image' || !isObject(content.image)) return content
  const inner = isObject(content.image.image) ? content.image.image : content.image
  return { type: 'image_url', image_url: { url: inner.url } }
}

function messageOf(role: unknown, content: unknown, calls: unknown, id: unknown): JsonObject {
  const parts = decoded(content)
  const isParts = Array.isArray(parts) && parts.length > 0 && parts.every((each) => isObject(each) && 'type' in each)
  const list = Array.isArray(calls) ? calls.filter(isObject) : []
  const called = list.map((call) => (isObject(call.function) ? call : { id: call.id, function: call }))
  return {
    role: role === 'function' ? 'tool' : role,
    content: isParts ? parts : (content ?? null),
    ...(called.length > 0 && { tool_calls: called }),
    ...(id !== undefined && { tool_call_id: id }),
  }
}

/** `ai.response.text`, `ai.response.toolCalls`, `ai.response.object` */
function ofVercel(attributes: Attributes, losses: Losses): Placed[] {
  const text = attributes.text('ai.response.text', 'ai.result.text')
  const key = attributes.has('ai.response.toolCalls') ? 'ai.response.toolCalls' : 'ai.result.toolCalls'
  const said =
    text === undefined ? [] : [{ value: { role: 'assistant', content: text }, ...at(attributes, 'ai.response.text') }]
  const called = attributes.has(key)
    ? messagesIn(attributes.get(key), 'assistant', attributes.placeOf(key), losses)
    : []
  if (said.length + called.length > 0) return [...said, ...called]
  const object = attributes.text('ai.response.object', 'ai.result.object')
  return object === undefined
    ? []
    : [{ value: { role: 'assistant', content: object }, ...at(attributes, 'ai.response.object') }]
}

function at(attributes: Attributes, key: string): { place: Placed['place'] } {
  return { place: attributes.placeOf(key) }
}
