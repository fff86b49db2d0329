import { type Format, type Notes, placeIn, type Reader } from '../format.js'
import { describe, isObject, type JsonObject, textOf } from '../json.js'
import { messagesIn, messagesOfCall } from '../logged-messages.js'
import { mapped } from '../mapped.js'
import { nanosOf } from '../nanos.js'
import type { Span } from '../span.js'
import { isToolSpan, toolOf } from '../tool-span.js'
import { TraceLog } from '../trace-log.js'
import { type Place, within } from '../turn.js'

/** Exports of Langfuse: a trace with its observations, rows of observations or traces, a session. */
export const langfuse: Format<'langfuse'> = {
  id: 'langfuse',
  title: 'Langfuse traces and observations',
  accepts:
    '{ "trace", "observations" }, a trace, a session with traces, or rows of { "traceId", "type", "input", "output" }',
  fields: ['trace', 'observations', 'traceId', 'parentObservationId', 'sessionId', 'input', 'output', 'startTime'],
  found: 'downloads of a trace; exports of traces or observations; answers of the public API',
  keeps: 'a transcript for each session, else for each trace; user, model, tags, scores; sub-agents on request',
  loses: 'model calls beside the talk, spans of frameworks, token counts and costs, managed prompts',
  skipsEmpty: true,
  marks: ['trace', 'traceId', 'traces', 'input', 'output'],
  detect(value) {
    if (!isObject(value)) return 0
    if (isObject(value.trace) && Array.isArray(value.observations)) return 0.97
    if (isObservation(value)) return 0.93
    if (isSession(value)) return 0.9
    return isTrace(value) ? 0.85 : 0
  },
  reader: readerOf,
}

const types: ReadonlyMap<unknown, Span['kind']> = new Map([
  ['GENERATION', 'model'],
  ['TOOL', 'tool'],
  ['AGENT', 'agent'],
  ...['SPAN', 'EVENT', 'CHAIN', 'RETRIEVER', 'EVALUATOR', 'EMBEDDING', 'GUARDRAIL'].map(
    (type) => [type, 'other'] as const,
  ),
])

function isObservation({ traceId, type, id }: JsonObject): boolean {
  return typeof traceId === 'string' && typeof id === 'string' && types.has(type)
}

function isTrace(value: JsonObject): boolean {
  if (typeof value.id !== 'string' || !('input' in value || 'output' in value)) return false
  if (Array.isArray(value.observations) && 'timestamp' in value) return true
  const own = ['sessionId', 'userId', 'tags', 'release', 'bookmarked', 'public', 'htmlPath', 'environment']
  return 'timestamp' in value && own.filter((field) => field in value).length >= 2
}

function isSession({ id, traces }: JsonObject): boolean {
  return typeof id === 'string' && Array.isArray(traces) && isObject(traces[0]) && isTrace(traces[0])
}

function readerOf(notes: Notes): Reader {
  const log = new TraceLog()
  return {
    take(record) {
      const { value } = record
      const place = placeIn(record)
      if (!isObject(value)) notes.report(`expected ${langfuse.accepts}; found ${describe(value)}`, place)
      else if (isObject(value.trace)) readExport(value, value.trace, place, log)
      else if (isObservation(value)) readObservation(value, value.traceId, place, log)
      else if (isSession(value)) readSession(value, place, log)
      else if (isTrace(value)) readTrace(value, value.sessionId, place, log)
      else notes.report(`expected ${langfuse.accepts}; found ${describe(value)}`, place)
      return []
    },
    end: () => log.drafts(langfuse.id, notes),
  }
}

/** The observations inside the trace lack input and output where those beside it have them. */
function readExport(value: JsonObject, trace: JsonObject, place: Place, log: TraceLog): void {
  const at = within(place, 'trace')
  const isBeside = Array.isArray(value.observations) && value.observations.length > 0
  tellTrace(trace, trace.sessionId, at, log)
  if (isBeside) readObservations(value.observations, trace.id, place, log)
  else readObservations(trace.observations, trace.id, at, log)
}

function readSession(session: JsonObject, place: Place, log: TraceLog): void {
  const traces: readonly unknown[] = Array.isArray(session.traces) ? session.traces : []
  traces.forEach((trace, index) => {
    if (!isObject(trace)) return
    const sessionId = 'sessionId' in trace ? trace.sessionId : session.id
    readTrace(trace, sessionId, within(place, 'traces', index), log)
  })
}

function readTrace(trace: JsonObject, sessionId: unknown, place: Place, log: TraceLog): void {
  if (tellTrace(trace, sessionId, place, log)) readObservations(trace.observations, trace.id, place, log)
}

/** A trace stands above its observations; false where it has no id. */
function tellTrace(trace: JsonObject, sessionId: unknown, place: Place, log: TraceLog): boolean {
  const id = textOf(trace.id)
  if (id === undefined) return false
  log.tell(id, factsOf(trace, sessionId), place)
  log.add({
    trace: id,
    kind: 'other',
    isWhole: true,
    start: nanosOf(trace.timestamp),
    startAt: trace.timestamp,
    place,
    given: () => messagesIn(trace.input, 'user', within(place, 'input')),
    gave: () => messagesIn(trace.output, 'assistant', within(place, 'output')),
  })
  return true
}

function readObservations(rows: unknown, traceId: unknown, place: Place, log: TraceLog): void {
  const own: readonly unknown[] = Array.isArray(rows) ? rows : []
  own.forEach((each, index) => {
    if (!isObject(each)) return
    const trace = 'traceId' in each ? each.traceId : traceId
    readObservation(each, trace, within(place, 'observations', index), log)
  })
}

function readObservation(row: JsonObject, traceId: unknown, place: Place, log: TraceLog): void {
  const trace = textOf(traceId)
  if (trace === undefined) return
  const kind = kindOf(row)
  const error = row.level === 'ERROR' ? (textOf(row.statusMessage) ?? 'ERROR') : undefined
  const facts = { conversation: textOf(row.sessionId), user: textOf(row.userId), name: textOf(row.traceName) }
  const read = row.type === 'GENERATION' ? messagesOfCall : messagesIn
  log.tell(trace, facts, place)
  log.add({
    trace,
    id: textOf(row.id),
    parent: textOf(row.parentObservationId),
    conversation: undefined,
    kind,
    start: nanosOf(row.startTime),
    startAt: row.startTime,
    endAt: row.endTime ?? row.completionStartTime,
    model: row.model ?? row.providedModelName,
    place,
    error,
    tool: kind === 'tool' ? toolOf(row.name, row.input, row.output, error) : undefined,
    given: () => read(row.input, 'user', within(place, 'input')),
    gave: () => read(row.output, 'assistant', within(place, 'output')),
  })
}

/** Instrumentations that know no type for tools write a span for each of their calls. */
function kindOf({ type, name, input, output }: JsonObject): Span['kind'] {
  const kind = types.get(type) ?? 'other'
  const isFilled = (input ?? output ?? undefined) !== undefined
  return kind === 'other' && isFilled && isToolSpan(name) ? 'tool' : kind
}

function factsOf(trace: JsonObject, sessionId: unknown) {
  const scores = scoresOf(trace.scores)
  const tags = Array.isArray(trace.tags) && trace.tags.length > 0 ? { tags: trace.tags } : {}
  return {
    name: textOf(trace.name),
    user: textOf(trace.userId),
    conversation: textOf(sessionId),
    at: trace.timestamp,
    metadata: { ...tags, ...(scores && { scores }) },
  }
}

/** What judges and people said of the trace. */
function scoresOf(scores: unknown): JsonObject[] | undefined {
  const list = Array.isArray(scores) ? scores.filter(isObject) : []
  if (list.length === 0) return undefined
  return mapped(list.slice(0, 50), (score) => {
    const comment = textOf(score.comment)?.slice(0, 500)
    const value = score.stringValue ?? score.value
    return { name: score.name, value, source: score.source, ...(comment !== undefined && { comment }) }
  })
}
