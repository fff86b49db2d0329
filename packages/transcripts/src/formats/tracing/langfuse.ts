import { isObject, type JsonObject, objectsOf, textOf, wordMap, wordsOf } from '../../json/index.js'
import { type Place, within } from '../../model/index.js'
import { formatOfRuns, type LoggedRun } from './run-log.js'
import { isToolSpan, objectsIn } from './run-reader.js'
import type { Span } from './span.js'

export const langfuse = formatOfRuns({
  id: 'langfuse',
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
  structure: 'level environment',
  runsIn,
})

const types = wordMap({
  model: 'GENERATION',
  tool: 'TOOL',
  agent: 'AGENT',
  other: 'SPAN EVENT CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL',
})

function isObservation({ traceId, type, id }: JsonObject): boolean {
  return textOf(traceId) !== undefined && textOf(id) !== undefined && types.has(type)
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

function runsIn(value: JsonObject, place: Place): LoggedRun[] {
  if (isObject(value.trace)) return runsOfExport(value, value.trace, place)
  if (isObservation(value)) return runOf(value, value.traceId, place)
  if (isSession(value))
    return objectsIn(value, place, 'traces').flatMap(({ value: trace, place: at }) =>
      runsOfTrace(trace, 'sessionId' in trace ? trace.sessionId : value.id, at),
    )
  return isTrace(value) ? runsOfTrace(value, value.sessionId, place) : []
}

/** Observations inside the trace lack input and output if there are others beside it. */
function runsOfExport(value: JsonObject, trace: JsonObject, place: Place): LoggedRun[] {
  const at = within(place, 'trace')
  const isBeside = Array.isArray(value.observations) && value.observations.length > 0
  const observed = isBeside ? observationsIn(value, trace.id, place) : observationsIn(trace, trace.id, at)
  return [...wholeOf(trace, trace.sessionId, at), ...observed]
}

function runsOfTrace(trace: JsonObject, sessionId: unknown, place: Place): LoggedRun[] {
  const whole = wholeOf(trace, sessionId, place)
  return whole.length === 0 ? [] : [...whole, ...observationsIn(trace, trace.id, place)]
}

/** The input and the output of a trace, unless it has no id. */
function wholeOf(trace: JsonObject, sessionId: unknown, place: Place): LoggedRun[] {
  const id = textOf(trace.id)
  if (id === undefined) return []
  const whole = { trace: id, kind: 'other', isWhole: true, startAt: trace.timestamp } as const
  return [{ ...whole, ...sidesOf(trace, place), facts: factsOf(trace, sessionId) }]
}

const sidesOf = ({ input, output }: JsonObject, place: Place) => ({
  place,
  input: { value: input, place: within(place, 'input') },
  output: { value: output, place: within(place, 'output') },
})

const observationsIn = (holder: JsonObject, traceId: unknown, place: Place): LoggedRun[] =>
  objectsIn(holder, place, 'observations').flatMap(({ value: row, place: at }) =>
    runOf(row, 'traceId' in row ? row.traceId : traceId, at),
  )

function runOf(row: JsonObject, traceId: unknown, place: Place): LoggedRun[] {
  const trace = textOf(traceId)
  if (trace === undefined) return []
  const run = {
    trace,
    id: textOf(row.id),
    parent: textOf(row.parentObservationId),
    kind: kindOf(row),
    name: row.name,
    model: row.model ?? row.providedModelName,
    error: row.level === 'ERROR' ? (textOf(row.statusMessage) ?? 'ERROR') : undefined,
    startAt: row.startTime,
    endAt: row.endTime ?? row.completionStartTime,
  }
  const facts = { conversation: textOf(row.sessionId), user: textOf(row.userId), name: textOf(row.traceName) }
  return [{ ...run, ...sidesOf(row, place), facts }]
}

/** Some instrumentations have no type for tools and write a span for each call. */
function kindOf({ type, name, input, output }: JsonObject): Span['kind'] {
  const kind = types.get(type) ?? 'other'
  const isFilled = (input ?? output ?? undefined) !== undefined
  return kind === 'other' && isFilled && isToolSpan(name) ? 'tool' : kind
}

function factsOf(trace: JsonObject, sessionId: unknown) {
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
