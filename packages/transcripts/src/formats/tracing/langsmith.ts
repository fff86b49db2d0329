import { asObject, isObject, type JsonObject, textOf, wordMap } from '../../json/index.js'
import { within } from '../../model/index.js'
import { formatOfRuns, type LoggedRun } from './run-log.js'
import { nestedIn, objectsIn, type PlacedObject } from './run-reader.js'
import type { Span } from './span.js'
import type { TraceFacts } from './trace-log.js'

export const langsmith = formatOfRuns({
  id: 'langsmith',
  title: 'LangSmith runs',
  accepts: '{ "id", "run_type", "inputs", "outputs" } as lines, as an array, or under "runs"',
  fields: ['run_type', 'inputs', 'outputs', 'dotted_order', 'trace_id', 'parent_run_id', 'runs', 'child_runs'],
  structure: 'dotted_order',
  runsIn: (value, place) => nestedIn(value, place, 'runs', isRun).flatMap(runsBelow),
})

const kinds = wordMap<Span['kind']>({ model: 'llm', tool: 'tool' })

function isRun(value: JsonObject): boolean {
  const marks = ['dotted_order', 'inputs', 'trace_id', 'start_time', 'child_runs']
  return typeof value.run_type === 'string' && marks.some((mark) => mark in value)
}

interface Nested extends PlacedObject {
  parent?: JsonObject
}

/** A run with those below it. Not recursive, because runs may be nested deeply. */
function runsBelow(outermost: PlacedObject): LoggedRun[] {
  const runs: LoggedRun[] = []
  const pending: Nested[] = [outermost]
  const trace = traceOf(outermost.value)
  for (let next = pending.pop(); next; next = pending.pop()) {
    runs.push(runOf(next, trace))
    for (const child of objectsIn(next.value, next.place, 'child_runs')) pending.push({ ...child, parent: next.value })
  }
  return runs
}

/** The trace has the id of the outermost run, which is first in the dotted order. */
function traceOf(run: JsonObject): string {
  const ordered = textOf(run.dotted_order)?.split('.', 1)[0]?.split('Z')[1]
  return textOf(run.trace_id) ?? textOf(ordered) ?? textOf(run.parent_run_id) ?? textOf(run.id) ?? 'run'
}

function runOf({ value: run, parent, place }: Nested, trace: string): LoggedRun {
  const extra = asObject(run.extra)
  const metadata = asObject(extra.metadata)
  const settings = asObject(extra.invocation_params)
  const above = textOf(run.parent_run_id) ?? textOf(parent?.id)
  return {
    place,
    trace,
    id: textOf(run.id),
    parent: above,
    // The session of a run is its project; the metadata has the conversation.
    conversation: textOf(metadata.session_id) ?? textOf(metadata.thread_id) ?? textOf(metadata.conversation_id),
    kind: kinds.get(run.run_type) ?? 'other',
    name: run.name,
    model: metadata.ls_model_name ?? settings.model ?? settings.model_name,
    error: textOf(run.error),
    startAt: run.start_time,
    endAt: run.end_time,
    input: { value: run.inputs, place: within(place, 'inputs') },
    output: { value: run.outputs, place: within(place, 'outputs') },
    facts: above === undefined ? factsOf(run, metadata) : undefined,
  }
}

function factsOf(run: JsonObject, metadata: JsonObject): TraceFacts {
  const feedback = feedbackOf(run)
  const tags = Array.isArray(run.tags) && run.tags.length > 0 ? { tags: run.tags } : {}
  return {
    name: textOf(run.name),
    user: textOf(metadata.user_id),
    at: run.start_time,
    metadata: { ...tags, ...(feedback !== undefined && { feedback }) },
  }
}

function feedbackOf({ feedback, feedback_stats: stats }: JsonObject): unknown {
  if (Array.isArray(feedback) && feedback.length > 0) {
    return feedback.filter(isObject).map(({ key, score, value, comment }) => ({ key, score, value, comment }))
  }
  if (!isObject(stats) || Object.keys(stats).length === 0) return undefined
  const short = Object.entries(stats).map(([key, each]) => {
    return [key, isObject(each) ? { n: each.n, avg: each.avg } : each] as const
  })
  return Object.fromEntries(short)
}
