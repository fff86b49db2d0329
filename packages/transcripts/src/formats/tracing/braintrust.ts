import { asObject, isObject, type JsonObject, textOf, wordMap, wordsOf } from '../../json/index.js'
import { type Place, within } from '../../model/index.js'
import { formatOfRuns, type LoggedRun } from './run-log.js'
import { objectsIn } from './run-reader.js'
import type { Span } from './span.js'

/** Rows of logs and experiments of Braintrust, each of which is a span. */
export const braintrust = formatOfRuns({
  id: 'braintrust',
  title: 'Braintrust log',
  accepts:
    '{ "span_id", "root_span_id", "span_attributes": { "name", "type" }, "input", "output" } as lines, as an array, or under "events"',
  fields: wordsOf('span_id root_span_id span_attributes span_parents events input output'),
  structure: 'type name log_id _xact_id finish_reason',
  runsIn: (value, place) =>
    [{ value, place }, ...objectsIn(value, place, 'events')]
      .filter(({ value: row }) => typeof row.span_id === 'string' && typeof row.root_span_id === 'string')
      .map(({ value: row, place: at }) => runOf(row, at)),
})

const kinds = wordMap<Span['kind']>({ model: 'llm', tool: 'tool' })

function runOf(row: JsonObject, place: Place): LoggedRun {
  const { name, type } = asObject(row.span_attributes)
  const { start = row.created, end } = asObject(row.metrics)
  const metadata = asObject(row.metadata)
  const [parent] = Array.isArray(row.span_parents) ? row.span_parents : []
  const scores = isObject(row.scores) && Object.keys(row.scores).length > 0 ? { scores: row.scores } : {}
  return {
    place,
    trace: textOf(row.root_span_id) ?? 'trace',
    id: textOf(row.span_id),
    parent: textOf(parent),
    conversation: textOf(metadata.session_id ?? metadata.thread_id ?? metadata.conversation_id),
    kind: kinds.get(type) ?? 'other',
    name,
    model: metadata.model,
    error: textOf(row.error) ?? textOf(asObject(row.error).message),
    startAt: row.created,
    endAt: end ?? start,
    input: { value: row.input, place: within(place, 'input') },
    output: { value: row.output, place: within(place, 'output') },
    facts: { user: textOf(metadata.user_id), metadata: scores },
    count: (losses) => losses.dropFields(row, ['expected']),
  }
}
