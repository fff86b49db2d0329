import { isObject, type JsonObject, textOf } from './json.js'
import { fieldsOf, type Losses } from './losses.js'
import { nanosOf, secondsOf } from './nanos.js'
import { Attributes, plain } from './otel-attributes.js'
import { contentOfSpan, isContentKey } from './otel-content.js'
import { countEvent, detailsEvent, type OtelEvent } from './otel-events.js'
import type { Span } from './span.js'
import { isToolSpan, toolOf } from './tool-span.js'
import type { TraceFacts } from './trace.js'
import { type Place, within } from './turn.js'

/** The run that a span belongs to. */
export function traceOf(span: JsonObject): string {
  return textOf(span.traceId ?? span.trace_id) ?? 'trace'
}

/** A span of OTLP as a step of a run, and what it tells of the run. What nobody reads of it is counted. */
export function spanOf(span: JsonObject, place: Place, losses: Losses): { span: Span; facts: TraceFacts | undefined } {
  const attributes = new Attributes(span.attributes, place)
  const list: readonly unknown[] = Array.isArray(span.events) ? span.events : []
  const events: OtelEvent[] = []
  list.forEach((each, index) => {
    if (isObject(each)) events.push(eventOf(each, within(place, 'events', index)))
  })
  const kind = kindOf(attributes, span.name)
  const { conversation, model, given, gave } = toldBy(attributes, events, kind, losses)
  losses.addTexts(span, spanFields)
  losses.addTexts(span.events, eventFields, 'event ')
  for (const holder of [span, ...list]) {
    const own = isObject(holder) ? holder.attributes : undefined
    if (Array.isArray(own)) losses.addTexts(own, attributeFields, 'attribute ')
  }
  attributes.countUnread(isRead, losses)
  const startAt = span.startTimeUnixNano ?? span.start_time_unix_nano
  return {
    facts: factsOf(attributes),
    span: {
      trace: traceOf(span),
      id: textOf(span.spanId ?? span.span_id),
      parent: textOf(span.parentSpanId ?? span.parent_span_id),
      conversation,
      kind,
      isFilled: filledKeys.some((key) => attributes.has(key)),
      start: nanosOf(startAt),
      startAt: secondsOf(startAt),
      endAt: secondsOf(span.endTimeUnixNano ?? span.end_time_unix_nano),
      model,
      place,
      error: errorOf(span, events),
      tool: kind === 'tool' ? toolIn(span, attributes, events, losses) : undefined,
      given,
      gave,
    },
  }
}

/** The content of a span's attributes and events, or of log records alone. */
export function toldBy(
  attributes: Attributes,
  events: readonly OtelEvent[],
  kind: Span['kind'],
  losses: Losses,
): Required<Pick<Span, 'conversation' | 'model' | 'given' | 'gave'>> {
  const sources = [attributes]
  for (const event of events) {
    if (event.name === detailsEvent || event.name.startsWith('gen_ai.content.')) sources.push(event.attributes)
  }
  for (const event of events) countEvent(event, isRead, losses)
  const all = events.length === 0 ? sources : [...sources, ...events.map((event) => event.attributes)]
  return {
    conversation: firstText(all, conversationKeys),
    model: firstText(all, modelKeys),
    given: () => contentOfSpan({ sources, events, isCall: kind === 'model' }, 'user', losses),
    gave: () => contentOfSpan({ sources, events, isCall: kind === 'model' }, 'assistant', losses),
  }
}

function firstText(sources: readonly Attributes[], keys: readonly string[]): string | undefined {
  for (const source of sources) {
    const text = source.text(...keys)
    if (text !== undefined) return text
  }
  return undefined
}

const conversationKeys = [
  'gen_ai.conversation.id',
  'session.id',
  'langfuse.session.id',
  'traceloop.association.properties.session_id',
  'traceloop.association.properties.thread_id',
  'ai.telemetry.metadata.sessionId',
  'gcp.vertex.agent.session_id',
]

const modelKeys = [
  'gen_ai.response.model',
  'gen_ai.request.model',
  'llm.model_name',
  'ai.response.model',
  'ai.model.id',
  'llm.request.model',
]

const userKeys = ['enduser.id', 'user.id', 'langfuse.user.id', 'traceloop.association.properties.user_id']

function factsOf(attributes: Attributes): TraceFacts | undefined {
  const user = attributes.text(...userKeys)
  const agent = attributes.text('gen_ai.agent.name')
  if (user === undefined && agent === undefined) return undefined
  return { user, metadata: agent === undefined ? {} : { agent } }
}

/** An event of a span or a log record. */
export function eventOf(event: JsonObject, place: Place): OtelEvent {
  const attributes = new Attributes(event.attributes, place)
  const time = event.timeUnixNano ?? event.observedTimeUnixNano
  const name = textOf(event.name) ?? textOf(event.eventName) ?? attributes.text('event.name') ?? ''
  return { name, start: nanosOf(time), attributes, body: plain(event.body), place }
}

/** By operation, by OpenInference's kind of span, by OpenLLMetry's. */
const kinds: ReadonlyMap<unknown, Span['kind']> = new Map([
  ...['chat', 'text_completion', 'generate_content', 'completion', 'LLM'].map((name) => [name, 'model'] as const),
  ...['execute_tool', 'TOOL', 'tool'].map((name) => [name, 'tool'] as const),
  ...['invoke_agent', 'create_agent', 'invoke_workflow', 'AGENT', 'agent', 'workflow'].map(
    (name) => [name, 'agent'] as const,
  ),
  ...['embeddings', 'CHAIN', 'RETRIEVER', 'RERANKER', 'EMBEDDING', 'GUARDRAIL', 'EVALUATOR', 'task'].map(
    (name) => [name, 'other'] as const,
  ),
])

const kindKeys = ['gen_ai.operation.name', 'openinference.span.kind', 'traceloop.span.kind', 'llm.request.type']
const modelMarks = [
  'gen_ai.input.messages',
  'gen_ai.prompt',
  'gen_ai.prompt.0.role',
  'gen_ai.request.model',
  'gen_ai.completion',
  'gcp.vertex.agent.llm_request',
]

function kindOf(attributes: Attributes, name: unknown): Span['kind'] {
  const operation = attributes.text('ai.operationId')
  if (operation === 'ai.toolCall') return 'tool'
  // The outer span has what the steps inside it were given and gave as a whole.
  if (operation?.startsWith('ai.')) return /\.do[A-Z]/.test(operation) ? 'model' : 'agent'
  for (const key of kindKeys) {
    const kind = kinds.get(attributes.get(key))
    if (kind) return kind
  }
  if (attributes.has('gen_ai.tool.name') || isToolSpan(name)) return 'tool'
  return modelMarks.some((mark) => attributes.has(mark)) ? 'model' : 'other'
}

const toolKeys = {
  name: ['gen_ai.tool.name', 'tool.name', 'ai.toolCall.name', 'traceloop.entity.name'],
  id: ['gen_ai.tool.call.id', 'ai.toolCall.id', 'tool_call.id', 'tool.id'],
  args: [
    'gen_ai.tool.call.arguments',
    'ai.toolCall.args',
    'gcp.vertex.agent.tool_call_args',
    'tool_arguments',
    'traceloop.entity.input',
    'input.value',
    'tool.parameters',
  ],
  output: [
    'gen_ai.tool.call.result',
    'ai.toolCall.result',
    'gcp.vertex.agent.tool_response',
    'tool_response',
    'traceloop.entity.output',
    'output.value',
  ],
}

function toolIn(
  span: JsonObject,
  attributes: Attributes,
  events: readonly OtelEvent[],
  losses: Losses,
): NonNullable<Span['tool']> {
  const first = (keys: readonly string[]) => keys.map((key) => attributes.get(key)).find((value) => value !== undefined)
  const named = attributes.text(...toolKeys.name)
  const tool = toolOf(named ?? span.name, first(toolKeys.args), first(toolKeys.output), losses, errorOf(span, events))
  const id = attributes.text(...toolKeys.id)
  return id === undefined ? tool : { ...tool, id }
}

const readKeys = new Set([
  ...[...conversationKeys, ...modelKeys, ...userKeys, 'gen_ai.agent.name', 'exception.message', 'exception.type'],
  ...Object.values(toolKeys).flat(),
])

function isRead(key: string): boolean {
  return readKeys.has(key) || isContentKey(key)
}

/** Attributes for the input and output of a step of any kind. */
const filledKeys = ['input.value', 'output.value', 'traceloop.entity.input', 'traceloop.entity.output']

const spanFields = fieldsOf(
  `traceId trace_id spanId span_id parentSpanId parent_span_id traceState name kind flags startTimeUnixNano
  start_time_unix_nano endTimeUnixNano end_time_unix_nano attributes events links`,
  { status: fieldsOf('code message') },
)
const eventFields = fieldsOf('name timeUnixNano observedTimeUnixNano attributes body')
const attributeFields = fieldsOf('key', {
  value: fieldsOf('stringValue intValue boolValue doubleValue bytesValue arrayValue kvlistValue'),
})

/** Why a span failed: its status says so, or the exception that is one of its events. */
function errorOf({ status }: JsonObject, events: readonly OtelEvent[]): string | undefined {
  if (!isObject(status) || !(status.code === 2 || status.code === 'STATUS_CODE_ERROR')) return undefined
  const thrown = events.map(({ attributes }) => attributes.text('exception.message', 'exception.type'))
  return textOf(status.message) ?? thrown.find((text) => text !== undefined) ?? 'error'
}
