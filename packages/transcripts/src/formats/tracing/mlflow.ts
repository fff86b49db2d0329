import { parseJsonText } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, textOf, wordMap, wordsOf } from '../../json/index.js'
import { type Place, within } from '../../model/index.js'
import { formatOfRuns, type LoggedRun } from './run-log.js'
import { objectsIn, type PlacedObject } from './run-reader.js'
import { type Span, secondsOf } from './span.js'

/** Traces of MLflow: since version 3 with `info.trace_id`, before with `info.request_id`. */
export const mlflow = formatOfRuns({
  id: 'mlflow',
  title: 'MLflow trace',
  accepts: '{ "info": { "trace_id" }, "data": { "spans": [{ "span_id", "attributes": { "mlflow.spanInputs" } }] } }',
  fields: wordsOf('info data'),
  structure: 'model name state status status_code mlflow.spanType code',
  runsIn(value, place) {
    const info = asObject(value.info)
    const trace = textOf(info.trace_id ?? info.request_id)
    if (trace === undefined || !isObject(value.data)) return []
    const spans = objectsIn(value.data, within(place, 'data'), 'spans')
    const metadata = asObject(info.trace_metadata ?? info.request_metadata)
    return spans.map((span) => runOf(span, trace, info, metadata))
  },
})

const kinds = wordMap<Span['kind']>({ model: 'LLM CHAT_MODEL', tool: 'TOOL', agent: 'AGENT' })

function runOf({ value: span, place }: PlacedObject, trace: string, info: JsonObject, metadata: JsonObject): LoggedRun {
  const attributes = asObject(span.attributes)
  const { span_id: id = span.span_id } = asObject(span.context)
  const input = attributes['mlflow.spanInputs'] ?? span.inputs
  const output = attributes['mlflow.spanOutputs'] ?? span.outputs
  const status = asObject(span.status)
  const { code = span.status_code, message = span.status_message } = status
  const isFailed = code === 'ERROR' || code === 'STATUS_CODE_ERROR'
  return {
    place,
    trace,
    id: textOf(id),
    parent: textOf(span.parent_span_id ?? span.parent_id),
    conversation: textOf(metadata['mlflow.trace.session']),
    kind: kinds.get(parseJsonText(attributes['mlflow.spanType'] ?? span.span_type)) ?? 'other',
    name: span.name,
    model: modelIn(output) ?? modelIn(input),
    error: isFailed ? (textOf(message) ?? 'error') : undefined,
    startAt: timeOf(span.start_time_unix_nano ?? span.start_time_ns ?? span.start_time),
    endAt: timeOf(span.end_time_unix_nano ?? span.end_time_ns ?? span.end_time),
    input: { value: input, place: placeOf(attributes, 'inputs', place) },
    output: { value: output, place: placeOf(attributes, 'outputs', place) },
    facts: {
      user: textOf(metadata['mlflow.trace.user']),
      at: info.request_time ?? info.timestamp_ms,
      metadata: {},
    },
    count: (losses) => {
      losses.noteWord(parseJsonText(attributes['mlflow.spanType']))
      // The previews are the starts of the input and the output of the first span.
      losses.note(previewOf(input, info.request_preview), previewOf(output, info.response_preview))
    },
  }
}

/** The preview of a value; undefined if it says something else. */
function previewOf(value: unknown, preview: unknown): unknown {
  const start = textOf(preview)?.replace(/(?:\.\.\.|…)$/, '')
  const texts = [value, parseJsonText(value)].map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
  return start !== undefined && texts.some((text) => text?.startsWith(start)) ? preview : undefined
}

const modelIn = (value: unknown) => textOf(asObject(parseJsonText(value)).model)

const timeOf = (time: unknown) => (typeof time === 'number' ? secondsOf(time) : time)

function placeOf(attributes: JsonObject, field: 'inputs' | 'outputs', place: Place): Place {
  const name = field === 'inputs' ? 'mlflow.spanInputs' : 'mlflow.spanOutputs'
  return name in attributes ? within(place, 'attributes', name) : within(place, field)
}
