import { asObject, isObject, type JsonObject, objectsOf, textOf, wordMap, wordsOf } from '../../json/index.js'
import { type Place, type Placed, within } from '../../model/index.js'
import { formatOfRuns, type LoggedRun } from './run-log.js'
import { objectsIn, type PlacedObject } from './run-reader.js'
import { type Span, secondsOf } from './span.js'

/** Spans of LLM Observability of Datadog, as its interface lists and accepts them. */
export const datadog = formatOfRuns({
  id: 'datadog',
  title: 'Datadog LLM Observability',
  accepts:
    '{ "data": [{ "attributes": { "ml_app", "trace_id", "span_id", "span_kind", "input", "output" } }] }, or such attributes',
  fields: wordsOf('data attributes ml_app span_kind trace_id span_id'),
  structure: 'tool_id name span_kind ml_app status model_provider tags parent_id',
  runsIn(value, place) {
    const { data } = value
    const items = isObject(data) ? [{ value: data, place: within(place, 'data') }] : objectsIn(value, place, 'data')
    return [{ value, place }, ...items].flatMap(spansIn).map(runOf)
  },
})

/** The span in an item, or the spans of a program in a request. */
function spansIn({ value, place }: PlacedObject): PlacedObject[] {
  const { attributes = value } = value
  const at = 'attributes' in value ? within(place, 'attributes') : place
  if (!isObject(attributes) || typeof attributes.ml_app !== 'string') return []
  const { spans, ...shared } = attributes
  if (typeof attributes.span_id === 'string') return [{ value: attributes, place: at }]
  return objectsIn({ spans }, at, 'spans').map((span) => ({ ...span, value: { ...shared, ...span.value } }))
}

const kinds = wordMap<Span['kind']>({
  model: 'llm',
  tool: 'tool',
  agent: 'agent',
  other: 'workflow task embedding retrieval',
})

function runOf({ value: span, place }: PlacedObject): LoggedRun {
  const meta = asObject(span.meta)
  const { start_ns: start, duration } = span
  const error = asObject(span.error ?? meta.error)
  const isFailed = span.status === 'error' || Object.keys(error).length > 0
  const user = objectsTags(span)
    .find((tag) => tag.startsWith('user_id:'))
    ?.slice('user_id:'.length)
  return {
    place,
    trace: textOf(span.trace_id) ?? 'trace',
    id: textOf(span.span_id),
    parent: span.parent_id === 'undefined' ? undefined : textOf(span.parent_id),
    conversation: textOf(span.session_id),
    kind: kinds.get(span.span_kind ?? meta.kind) ?? 'other',
    name: span.name,
    model: span.model_name ?? asObject(meta.metadata).model_name,
    error: isFailed ? (textOf(error.message ?? span.error_message) ?? 'error') : undefined,
    startAt: secondsOf(start),
    endAt: typeof start === 'number' && typeof duration === 'number' ? secondsOf(start + duration) : undefined,
    input: contentOf(span, meta, 'input', place),
    output: contentOf(span, meta, 'output', place),
    facts: { user, metadata: {} },
  }
}

/** The messages, or the value of a step that is no model call. */
function contentOf(span: JsonObject, meta: JsonObject, side: 'input' | 'output', place: Place): Placed {
  const at = side in span ? within(place, side) : within(place, 'meta', side)
  const content = asObject(span[side] ?? meta[side])
  const field = Array.isArray(content.messages) && content.messages.length > 0 ? 'messages' : 'value'
  const value = field === 'messages' ? objectsOf(content.messages).flatMap(messagesOf) : content.value
  return { value, place: within(at, field) }
}

/** A message in the form of OpenAI, with its results as messages of their own. */
function messagesOf({ tool_calls: calls, tool_results: results, ...message }: JsonObject): JsonObject[] {
  const called = objectsOf(calls).map(({ tool_id: id, name, arguments: args }) => ({ id, name, arguments: args ?? {} }))
  const answers = objectsOf(results).map(({ tool_id: tool_call_id, name, result: content }) => ({
    role: 'tool',
    tool_call_id,
    name,
    content,
  }))
  const isSilent = called.length === 0 && answers.length > 0 && !message.content
  return [...(isSilent ? [] : [called.length > 0 ? { ...message, tool_calls: called } : message]), ...answers]
}

const objectsTags = ({ tags }: JsonObject) => (Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [])
