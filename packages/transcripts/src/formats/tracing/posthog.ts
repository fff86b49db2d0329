import { parseJsonText } from '../../conversation/index.js'
import { asList, asObject, isObject, objectsOf, textOf, wordsOf } from '../../json/index.js'
import { type Placed, within } from '../../model/index.js'
import { formatOfRuns, type LoggedRun } from './run-log.js'
import { objectsIn, type PlacedObject } from './run-reader.js'

/** Events of model calls, spans and traces in PostHog. */
export const posthog = formatOfRuns({
  id: 'posthog',
  title: 'PostHog LLM events',
  accepts:
    '{ "event": "$ai_generation", "distinct_id", "properties": { "$ai_trace_id", "$ai_input", "$ai_output_choices" } }, or such events under "results"',
  fields: wordsOf('event properties distinct_id results'),
  structure:
    'uuid $ai_trace_id $ai_generation_id $ai_span_id $ai_parent_id event $ai_provider $ai_span_name $ai_base_url $ai_lib $lib $lib_version',
  runsIn: (value, place) => [{ value, place }, ...objectsIn(value, place, 'results')].filter(isEvent).map(runOf),
})

const isEvent = ({ value }: PlacedObject) =>
  typeof value.event === 'string' && /^\$ai_(?:generation|span|trace)$/.test(value.event) && isObject(value.properties)

function runOf({ value: event, place }: PlacedObject): LoggedRun {
  const properties = asObject(event.properties)
  const isModel = event.event === '$ai_generation'
  const isFailed = properties.$ai_is_error === true || properties.$ai_error !== undefined
  const firstOf = (...names: readonly string[]): Placed => {
    const name = names.find((each) => (properties[each] ?? undefined) !== undefined) ?? ''
    return { value: properties[name], place: within(place, 'properties', name) }
  }
  const output = firstOf('$ai_output_choices', '$ai_output', '$ai_output_state')
  const error = parseJsonText(properties.$ai_error)
  return {
    place,
    trace: textOf(properties.$ai_trace_id) ?? textOf(event.uuid ?? event.id) ?? 'trace',
    id: textOf(properties.$ai_generation_id ?? properties.$ai_span_id) ?? textOf(event.uuid ?? event.id),
    parent: textOf(properties.$ai_parent_id),
    conversation: textOf(properties.$ai_session_id),
    kind: isModel ? 'model' : 'other',
    name: properties.$ai_span_name,
    model: properties.$ai_model,
    error: isFailed ? (textOf(asObject(error).message ?? error) ?? 'error') : undefined,
    // An event is sent when its step ends.
    startAt: event.timestamp,
    endAt: event.timestamp,
    input: firstOf('$ai_input', '$ai_input_state'),
    output: { ...output, value: Array.isArray(output.value) ? output.value.map(withCalls) : output.value },
    facts: { user: textOf(event.distinct_id), metadata: {} },
  }
}

/** A message whose calls stand beside its parts, as OpenAI has them. */
function withCalls(message: unknown): unknown {
  const parts = objectsOf(asObject(message).content)
  const calls = parts.filter(({ type, function: called }) => type === 'function' && isObject(called))
  if (calls.length === 0) return message
  const content = asList(asObject(message).content).filter((part) => !calls.some((call) => call === part))
  return { ...asObject(message), content, tool_calls: calls }
}
