import { countUnknownRole, markAlternatives, messagesIn, messagesOfRun, type Side } from '../../contract/index.js'
import { parseJsonText } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, objectsOf, textOf, wordMap, wordsOf } from '../../json/index.js'
import { type Losses, type Place, type Placed, reasons } from '../../model/index.js'
import { Attributes, detailsEvent, isMessageEvent, messagesOfEvents, type OtelEvent, plain } from './otel-attributes.js'
import { isToolSpan, objectsIn, type PlacedObject, toolOf } from './run-reader.js'
import { nanosOf, type Span, secondsOf } from './span.js'
import type { TraceFacts } from './trace-log.js'

export function traceOf(span: JsonObject): string {
  return textOf(span.traceId ?? span.trace_id) ?? 'trace'
}

/** An OTLP span as a step of a run, with facts about the run. Unread fields are counted. */
export function spanOf(span: JsonObject, place: Place, losses: Losses): { span: Span; facts: TraceFacts } {
  const attributes = 'tags' in span ? new Attributes(span.tags, place, 'tags') : new Attributes(span.attributes, place)
  const events = objectsIn(span, place, 'events').map((event) => eventOf(event.value, event.place))
  const kind = kindOf(attributes, span.name)
  const { conversation, model, input, output } = contentOf(attributes, events, kind, losses)
  const startAt = span.startTimeUnixNano ?? span.start_time_unix_nano
  if (isUsualName(span.name, attributes)) losses.note(span.name)
  return {
    facts: factsOf(attributes),
    span: {
      trace: traceOf(span),
      id: textOf(span.spanId ?? span.span_id),
      parent: textOf(span.parentSpanId ?? span.parent_span_id),
      conversation,
      kind,
      isFilled: filledKeys.some((key) => attributes.has(key)),
      isForeign: !attributes.some(isOfModels) && !events.some(({ name }) => isMessageEvent(name)),
      start: nanosOf(startAt),
      startAt: secondsOf(startAt),
      endAt: secondsOf(span.endTimeUnixNano ?? span.end_time_unix_nano),
      model,
      place,
      error: errorOf(span, events),
      tool: kind === 'tool' ? toolIn(span, attributes, events, losses) : undefined,
      input,
      output,
    },
  }
}

/** True for the name that the conventions give a span: its operation and the model, agent or tool of that. */
function isUsualName(name: unknown, attributes: Attributes): boolean {
  const operation = attributes.text('gen_ai.operation.name')
  return targetKeys.some((key) => attributes.has(key) && name === `${operation} ${attributes.text(key)}`)
}

const targetKeys = wordsOf('gen_ai.request.model gen_ai.agent.name gen_ai.tool.name')

/** The content of the attributes and events of a span, or of log records alone. */
export function contentOf(
  attributes: Attributes,
  events: readonly OtelEvent[],
  kind: Span['kind'],
  losses: Losses,
): Required<Pick<Span, 'conversation' | 'model' | 'input' | 'output'>> {
  const sources = [attributes]
  for (const event of events) {
    if (event.name === detailsEvent || event.name.startsWith('gen_ai.content.')) sources.push(event.attributes)
  }
  const all = events.length === 0 ? sources : [...sources, ...events.map((event) => event.attributes)]
  return {
    conversation: textIn(all, conversationKeys),
    model: textIn(all, modelKeys),
    input: () => contentOfSpan({ sources, events, isAnswer: false }, 'user', losses),
    output: () => contentOfSpan({ sources, events, isAnswer: kind === 'model' }, 'assistant', losses),
  }
}

function textIn(sources: readonly Attributes[], keys: readonly string[]): string | undefined {
  return sources.map((source) => source.text(...keys)).find((text) => text !== undefined)
}

const conversationKeys =
  wordsOf(`gen_ai.conversation.id session.id langfuse.session.id traceloop.association.properties.session_id
  traceloop.association.properties.thread_id ai.telemetry.metadata.sessionId gcp.vertex.agent.session_id`)
const modelKeys = wordsOf(`gen_ai.response.model gen_ai.request.model llm.model_name ai.response.model ai.model.id
  llm.request.model`)
const userKeys = wordsOf('enduser.id user.id langfuse.user.id traceloop.association.properties.user_id')

function factsOf(attributes: Attributes): TraceFacts {
  const agent = attributes.text('gen_ai.agent.name')
  return { user: attributes.text(...userKeys), metadata: agent === undefined ? {} : { agent } }
}

export function eventOf(event: JsonObject, place: Place): OtelEvent {
  const attributes = new Attributes(event.attributes, place)
  const time = event.timeUnixNano ?? event.observedTimeUnixNano
  const name = textOf(event.name) ?? textOf(event.eventName) ?? attributes.text('event.name') ?? ''
  return { name, start: nanosOf(time), attributes, body: plain(event.body), place }
}

/** By operation name, OpenInference kind and OpenLLMetry kind. */
const kinds = wordMap({
  model: 'chat text_completion generate_content completion LLM',
  tool: 'execute_tool TOOL tool',
  agent: 'invoke_agent create_agent invoke_workflow AGENT agent workflow',
  other: 'embeddings CHAIN RETRIEVER RERANKER EMBEDDING GUARDRAIL EVALUATOR task',
})

export const kindKeys: readonly string[] = wordsOf(
  'gen_ai.operation.name openinference.span.kind traceloop.span.kind llm.request.type',
)
const modelMarks =
  wordsOf(`gen_ai.input.messages gen_ai.prompt gen_ai.prompt.0.role gen_ai.request.model gen_ai.completion
  gcp.vertex.agent.llm_request`)

function kindOf(attributes: Attributes, name: unknown): Span['kind'] {
  const operation = attributes.text('ai.operationId')
  if (operation === 'ai.toolCall') return 'tool'
  // The outer span has the input and output of the steps inside it.
  if (operation?.startsWith('ai.')) return /\.do[A-Z]/.test(operation) ? 'model' : 'agent'
  for (const key of kindKeys) {
    const kind = kinds.get(attributes.get(key))
    if (kind) return kind
  }
  if (attributes.has('gen_ai.tool.name') || isToolSpan(name)) return 'tool'
  return modelMarks.some((mark) => attributes.has(mark)) ? 'model' : 'other'
}

const toolKeys = {
  name: wordsOf('gen_ai.tool.name tool.name ai.toolCall.name traceloop.entity.name'),
  id: wordsOf('gen_ai.tool.call.id ai.toolCall.id tool_call.id tool.id'),
  args: wordsOf(`gen_ai.tool.call.arguments ai.toolCall.args gcp.vertex.agent.tool_call_args tool_arguments
    traceloop.entity.input input.value tool.parameters`),
  output: wordsOf(`gen_ai.tool.call.result ai.toolCall.result gcp.vertex.agent.tool_response tool_response
    traceloop.entity.output output.value`),
}

function toolIn(
  span: JsonObject,
  attributes: Attributes,
  events: readonly OtelEvent[],
  _losses: Losses,
): NonNullable<Span['tool']> {
  const first = (keys: readonly string[]) => keys.map((key) => attributes.get(key)).find((value) => value !== undefined)
  const named = attributes.text(...toolKeys.name)
  const tool = toolOf(named ?? span.name, first(toolKeys.args), first(toolKeys.output), errorOf(span, events))
  const id = attributes.text(...toolKeys.id)
  return id === undefined ? tool : { ...tool, id }
}

/** True for an attribute of a conventions for models; a request of HTTP has none. */
function isOfModels(key: string): boolean {
  return (
    kindKeys.includes(key) ||
    modelKeys.includes(key) ||
    contentKeys.has(key) ||
    /^(?:gen_ai|llm|ai|traceloop)\./.test(key)
  )
}

const filledKeys = ['input.value', 'output.value', 'traceloop.entity.input', 'traceloop.entity.output']

function errorOf({ status }: JsonObject, events: readonly OtelEvent[]): string | undefined {
  if (!isObject(status) || !(status.code === 2 || status.code === 'STATUS_CODE_ERROR')) return undefined
  const thrown = events.map(({ attributes }) => attributes.text('exception.message', 'exception.type'))
  return textOf(status.message) ?? thrown.find((text) => text !== undefined) ?? 'error'
}

/** The input or output of a span, in any version of the conventions; the first source with a message counts. */
function contentOfSpan(
  { sources, events, isAnswer }: { sources: readonly Attributes[]; events: readonly OtelEvent[]; isAnswer: boolean },
  side: Side,
  losses: Losses,
): Placed[] {
  for (const attributes of sources) {
    for (const read of side === 'user' ? inputReaders : outputReaders) {
      const messages = read(attributes, losses)
      if (messages.length > 0) return messages
    }
  }
  const messages = messagesOfEvents(events)[side === 'user' ? 'input' : 'output']
  if (messages.length > 0) return messages
  for (const attributes of sources) {
    for (const key of jsonKeys[side]) {
      const value = attributes.get(key)
      const found = messagesOfRun(value, side, attributes.placeOf(key), losses, isAnswer)
      if (found.length > 0) return found
    }
  }
  return []
}

type Read = (attributes: Attributes, losses: Losses) => Placed[]

/** The attributes with JSON or a text, in all versions of the conventions. */
const jsonKeys: Record<Side, string[]> = { user: [], assistant: [] }
/** All attributes with content. */
const contentKeys = new Set([
  'gen_ai.system_instructions',
  'ai.response.text',
  'ai.response.toolCalls',
  'ai.response.object',
  'ai.result.text',
  'ai.result.toolCalls',
  'ai.result.object',
])
/** Prefixes of attributes with a number. */
const numberedKeys: string[] = []

const inputReaders: readonly Read[] = [
  ofInputMessages,
  ofNumbered('gen_ai.prompt', openllmetry, 'user'),
  ofNumbered('llm.prompts', openllmetry, 'user'),
  ofNumbered('llm.input_messages', openinference, 'user'),
  ofJson('user', 'ai.prompt.messages', 'pydantic_ai.all_messages', 'all_messages_events', 'gen_ai.prompt'),
  ofJson('user', 'ai.prompt', 'events', 'langfuse.observation.input', 'traceloop.entity.input', 'input.value'),
  ofJson('user', 'gcp.vertex.agent.llm_request', 'request_data'),
]

const outputReaders: readonly Read[] = [
  ofJson('assistant', 'gen_ai.output.messages'),
  ofAnswers('gen_ai.completion'),
  ofAnswers('llm.completions'),
  ofNumbered('llm.output_messages', openinference, 'assistant'),
  ofVercel,
  ofJson('assistant', 'gen_ai.completion', 'langfuse.observation.output', 'traceloop.entity.output', 'output.value'),
  ofJson('assistant', 'gcp.vertex.agent.llm_response', 'response_data'),
]

function ofJson(side: Side, ...keys: readonly string[]): Read {
  for (const key of keys) contentKeys.add(key)
  jsonKeys[side].push(...keys)
  return (attributes, losses) => {
    for (const key of keys) {
      const messages = attributes.has(key) ? messagesIn(attributes.get(key), side, attributes.placeOf(key), losses) : []
      if (messages.length > 0) return messages
    }
    return []
  }
}

type FromNumbered = (each: PlacedObject, side: Side) => Placed

function ofNumbered(prefix: string, read: FromNumbered, side: Side): Read {
  numberedKeys.push(`${prefix}.`)
  return (attributes, losses) => {
    const all = attributes.spread(prefix)
    const isNamed = ({ value }: PlacedObject) => (asObject(value.message ?? value).role ?? undefined) !== undefined
    // What a model was given may be of anybody. Where no message names its role, the place does.
    if (side === 'user' && all.some(isNamed)) for (const each of all) if (!isNamed(each)) countUnknownRole(side, losses)
    return all.map((each) => read(each, side))
  }
}

function ofAnswers(prefix: string): Read {
  const read = ofNumbered(prefix, openllmetry, 'assistant')
  return (attributes, losses) => markAlternatives(read(attributes, losses).map((message) => [message]))
}

const inputKey = 'gen_ai.input.messages'
const inputMessages = ofJson('user', inputKey)
/** Those of any other shape. */
const anyMessages: Read = (attributes, losses) =>
  messagesOfRun(attributes.get(inputKey), 'user', attributes.placeOf(inputKey), losses, false)

/** System instructions stand beside the messages, unless these begin with them. */
function ofInputMessages(attributes: Attributes, losses: Losses): Placed[] {
  const listed = inputMessages(attributes, losses)
  const key = 'gen_ai.system_instructions'
  const first = listed[0]?.value
  if (!attributes.has(key) || (isObject(first) && first.role === 'system')) return listed
  const messages = listed.length > 0 ? listed : anyMessages(attributes, losses)
  const parts = parseJsonText(attributes.get(key))
  const value = Array.isArray(parts) ? { role: 'system', parts } : { role: 'system', content: textOf(parts) ?? '' }
  return [{ value, place: attributes.placeOf(key) }, ...messages]
}

/** `gen_ai.prompt.0.role`, `.content`, `.tool_calls.0.name` */
function openllmetry({ value, place }: PlacedObject, side: Side): Placed {
  const { role = side, content, tool_calls: calls, tool_call_id: id } = value
  return { value: messageOf(role, content, calls, id), place }
}

/** `llm.input_messages.0.message.role`, `.content`, `.tool_calls.0.tool_call.function.name` */
function openinference({ value, place }: PlacedObject, side: Side): Placed {
  const message = isObject(value.message) ? value.message : value
  const { role = side, content, contents, tool_calls: calls, tool_call_id: id } = message
  const parts = Array.isArray(contents) ? contents.map(partOf) : undefined
  const inner = Array.isArray(calls) ? calls.map((each) => (isObject(each) ? (each.tool_call ?? each) : each)) : calls
  return { value: messageOf(role, parts ?? content, inner, id), place }
}

function partOf(part: unknown): unknown {
  const content = isObject(part) && isObject(part.message_content) ? part.message_content : part
  if (!isObject(content) || content.type !== 'image' || !isObject(content.image)) return content
  const inner = isObject(content.image.image) ? content.image.image : content.image
  return { type: 'image_url', image_url: { url: inner.url } }
}

function messageOf(role: unknown, content: unknown, calls: unknown, id: unknown): JsonObject {
  const parts = parseJsonText(content)
  const isParts = Array.isArray(parts) && parts.length > 0 && parts.every((each) => isObject(each) && 'type' in each)
  const list = objectsOf(calls)
  const toolCalls = list.map((call) => (isObject(call.function) ? call : { id: call.id, function: call }))
  return {
    role: role === 'function' ? 'tool' : role,
    content: isParts ? parts : (content ?? null),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...(id !== undefined && { tool_call_id: id }),
  }
}

function ofVercel(attributes: Attributes, losses: Losses): Placed[] {
  const text = attributes.text('ai.response.text', 'ai.result.text')
  const key = attributes.has('ai.response.toolCalls') ? 'ai.response.toolCalls' : 'ai.result.toolCalls'
  const answer = (content: string, place: Place): Placed => ({ value: { role: 'assistant', content }, place })
  const messages = text === undefined ? [] : [answer(text, attributes.placeOf('ai.response.text'))]
  const calls = attributes.has(key) ? messagesIn(attributes.get(key), 'assistant', attributes.placeOf(key), losses) : []
  if (messages.length + calls.length > 0) return [...messages, ...calls]
  if (attributes.has(key)) losses.dropValue(attributes.get(key), 'calls of tools', reasons.unreadable)
  const object = attributes.text('ai.response.object', 'ai.result.object')
  return object === undefined ? [] : [answer(object, attributes.placeOf('ai.response.object'))]
}
