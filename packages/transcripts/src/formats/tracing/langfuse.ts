import { defineFormat, type Format } from '../../contract/index.js'
import { isObject, type JsonObject, objectsOf, textOf, wordMap, wordsOf } from '../../json/index.js'
import { type Losses, type Place, within } from '../../model/index.js'
import { isToolSpan, objectsIn, readerOfRuns, spanOfRun } from './run-reader.js'
import type { Span } from './span.js'
import type { TraceLog } from './trace-log.js'

export const langfuse: Format<'langfuse'> = defineFormat({
  id: 'langfuse',
  isGeneric: true,
  title: 'Langfuse traces and observations',
  accepts:
    '{ "trace", "observations" }, a trace, a session with traces, or rows of { "traceId", "type", "input", "output" }',
  fields: wordsOf('trace traces observations traceId parentObservationId sessionId input output startTime'),
  signature(value) {
    if (!isObject(value)) return 0
    if (isObject(value.trace) && Array.isArray(value.observations)) return 0.97
    if (isObservation(value)) return 0.93
    if (isSession(value)) return 0.9
    return isTrace(value) ? 0.85 : 0
  },
  recordsRepeat: true,
  structure: 'level environment',
  reader: (context) => readerOfRuns(langfuse, context, readRecord),
})

const types = wordMap({
  model: 'GENERATION',
  tool: 'TOOL',
  agent: 'AGENT',
  other: 'SPAN EVENT CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL',
})

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

function readRecord(value: JsonObject, place: Place, log: TraceLog): boolean {
  if (isObject(value.trace)) readExport(value, value.trace, place, log)
  else if (isObservation(value)) readObservation(value, value.traceId, place, log)
  else if (isSession(value)) readSession(value, place, log)
  else if (isTrace(value)) readTrace(value, value.sessionId, place, log)
  else return false
  return true
}

/** Observations inside the trace lack input and output if there are others beside it. */
function readExport(value: JsonObject, trace: JsonObject, place: Place, log: TraceLog): void {
  const at = within(place, 'trace')
  const isBeside = Array.isArray(value.observations) && value.observations.length > 0
  addTrace(trace, trace.sessionId, at, log)
  readObservations(isBeside ? value : trace, trace.id, isBeside ? place : at, log)
}

function readSession(session: JsonObject, place: Place, log: TraceLog): void {
  for (const { value: trace, place: at } of objectsIn(session, place, 'traces')) {
    readTrace(trace, 'sessionId' in trace ? trace.sessionId : session.id, at, log)
  }
}

function readTrace(trace: JsonObject, sessionId: unknown, place: Place, log: TraceLog): void {
  if (addTrace(trace, sessionId, place, log)) readObservations(trace, trace.id, place, log)
}

/** Returns false if the trace has no id. */
function addTrace(trace: JsonObject, sessionId: unknown, place: Place, log: TraceLog): boolean {
  const id = textOf(trace.id)
  if (id === undefined) return false
  const losses = log.lossesOf(id, place)
  log.addFacts(id, factsOf(trace, sessionId, losses), place)
  const span = { trace: id, kind: 'other' as const, isWhole: true, startAt: trace.timestamp }
  log.add(spanOfRun({ value: trace, place }, ['input', 'output'], span, losses))
  return true
}

function readObservations(holder: JsonObject, traceId: unknown, place: Place, log: TraceLog): void {
  for (const { value: row, place: at } of objectsIn(holder, place, 'observations')) {
    readObservation(row, 'traceId' in row ? row.traceId : traceId, at, log)
  }
}

function readObservation(row: JsonObject, traceId: unknown, place: Place, log: TraceLog): void {
  const trace = textOf(traceId)
  if (trace === undefined) return
  const losses = log.lossesOf(trace, place)
  log.addFacts(
    trace,
    { conversation: textOf(row.sessionId), user: textOf(row.userId), name: textOf(row.traceName) },
    place,
  )
  const facts = {
    trace,
    id: textOf(row.id),
    parent: textOf(row.parentObservationId),
    kind: kindOf(row),
    startAt: row.startTime,
    endAt: row.endTime ?? row.completionStartTime,
    model: row.model ?? row.providedModelName,
    error: row.level === 'ERROR' ? (textOf(row.statusMessage) ?? 'ERROR') : undefined,
    name: row.name,
  }
  losses.note(row.name)
  log.add(spanOfRun({ value: row, place }, ['input', 'output'], facts, losses))
}

/** Some instrumentations have no type for tools and write a span for each call. */
function kindOf({ type, name, input, output }: JsonObject): Span['kind'] {
  const kind = types.get(type) ?? 'other'
  const isFilled = (input ?? output ?? undefined) !== undefined
  return kind === 'other' && isFilled && isToolSpan(name) ? 'tool' : kind
}

function factsOf(trace: JsonObject, sessionId: unknown, _losses: Losses) {
  const scores = scoresOf([trace.scores, trace.corrections])
  const tags = Array.isArray(trace.tags) && trace.tags.length > 0 ? { tags: trace.tags } : {}
  return {
    name: textOf(trace.name),
    user: textOf(trace.userId),
    conversation: textOf(sessionId),
    at: trace.timestamp,
    metadata: { ...tags, ...(scores && { scores }) },
  }
}

function scoresOf(lists: readonly unknown[]): JsonObject[] | undefined {
  const list = lists.flatMap((scores) => objectsOf(scores))
  if (list.length === 0) return undefined
  return list.map((score) => {
    const comment = textOf(score.comment)
    const value = score.stringValue ?? textOf(score.longStringValue) ?? score.value
    return { name: score.name, value, source: score.source, ...(comment !== undefined && { comment }) }
  })
}
