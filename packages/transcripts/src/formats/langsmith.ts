import { type Format, type Notes, placeIn, type Reader } from '../format.js'
import { describe, isObject, type JsonObject, textOf } from '../json.js'
import { messagesIn, messagesOfCall } from '../logged-messages.js'
import { mapped } from '../mapped.js'
import { nanosOf } from '../nanos.js'
import type { Span } from '../span.js'
import { toolOf } from '../tool-span.js'
import type { TraceFacts } from '../trace.js'
import { TraceLog } from '../trace-log.js'
import { type Place, within } from '../turn.js'

/** Runs of LangSmith, with or without their child runs. */
export const langsmith: Format<'langsmith'> = {
  id: 'langsmith',
  title: 'LangSmith runs',
  accepts: '{ "id", "run_type", "inputs", "outputs" } as lines, as an array, or under "runs"',
  fields: ['run_type', 'inputs', 'outputs', 'dotted_order', 'trace_id', 'parent_run_id', 'runs', 'child_runs'],
  found: 'bulk exports; output of `list_runs` of the SDK; downloads of a trace',
  keeps: 'a transcript for each thread, else for each trace; user, model, tags, feedback; sub-agents on request',
  loses: 'model calls beside the talk, chains, token counts and costs',
  skipsEmpty: true,
  marks: ['run_type', 'runs'],
  detect(value) {
    if (!isObject(value)) return 0
    if (isRun(value)) return 0.95
    return Array.isArray(value.runs) && isObject(value.runs[0]) && isRun(value.runs[0]) ? 0.95 : 0
  },
  reader: readerOf,
}

const kinds: ReadonlyMap<unknown, Span['kind']> = new Map([
  ['llm', 'model'],
  ['tool', 'tool'],
])

function isRun(value: JsonObject): boolean {
  const marks = ['dotted_order', 'inputs', 'trace_id', 'start_time', 'child_runs']
  return typeof value.run_type === 'string' && marks.some((mark) => mark in value)
}

function readerOf(notes: Notes): Reader {
  const log = new TraceLog()
  return {
    take(record) {
      const { value } = record
      const place = placeIn(record)
      if (isObject(value) && isRun(value)) readRun(value, place, log)
      else if (isObject(value) && Array.isArray(value.runs)) {
        value.runs.forEach((run: unknown, index) => {
          if (isObject(run)) readRun(run, within(place, 'runs', index), log)
        })
      } else notes.report(`expected ${langsmith.accepts}; found ${describe(value)}`, place)
      return []
    },
    end: () => log.drafts(langsmith.id, notes),
  }
}

interface Nested {
  run: JsonObject
  parent: JsonObject | undefined
  place: Place
}

/** Reads a run and the runs inside it. */
function readRun(outermost: JsonObject, from: Place, log: TraceLog): void {
  const rest: Nested[] = [{ run: outermost, parent: undefined, place: from }]
  const trace = traceOf(outermost)
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { run, place } = next
    addRun(next, trace, log)
    const children: readonly unknown[] = Array.isArray(run.child_runs) ? run.child_runs : []
    children.forEach((child, index) => {
      if (isObject(child)) rest.push({ run: child, parent: run, place: within(place, 'child_runs', index) })
    })
  }
}

/** The outermost run gives its id to the trace; it is the first in the dotted order. */
function traceOf(run: JsonObject): string {
  const ordered = textOf(run.dotted_order)?.split('.', 1)[0]?.split('Z')[1]
  return textOf(run.trace_id) ?? textOf(ordered) ?? textOf(run.parent_run_id) ?? textOf(run.id) ?? 'run'
}

function addRun({ run, parent, place }: Nested, trace: string, log: TraceLog): void {
  const extra = isObject(run.extra) ? run.extra : {}
  const metadata = isObject(extra.metadata) ? extra.metadata : {}
  const settings = isObject(extra.invocation_params) ? extra.invocation_params : {}
  const kind = kinds.get(run.run_type) ?? 'other'
  const error = textOf(run.error)
  const above = textOf(run.parent_run_id) ?? textOf(parent?.id)
  const read = kind === 'model' ? messagesOfCall : messagesIn
  if (above === undefined) log.tell(trace, factsOf(run, metadata), place)
  log.add({
    trace,
    id: textOf(run.id),
    parent: above,
    // The session of a run is its project; the talk is named in the metadata.
    conversation: textOf(metadata.session_id) ?? textOf(metadata.thread_id) ?? textOf(metadata.conversation_id),
    kind,
    start: nanosOf(run.start_time),
    startAt: run.start_time,
    endAt: run.end_time,
    model: metadata.ls_model_name ?? settings.model ?? settings.model_name,
    place,
    given: () => read(run.inputs, 'user', within(place, 'inputs')),
    gave: () => read(run.outputs, 'assistant', within(place, 'outputs')),
    error,
    tool: kind === 'tool' ? toolOf(run.name, run.inputs, run.outputs, error) : undefined,
  })
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

/** Either the feedback itself, or how often and how high each kind of it was given. */
function feedbackOf({ feedback, feedback_stats: stats }: JsonObject): unknown {
  if (Array.isArray(feedback) && feedback.length > 0) {
    return mapped(feedback.filter(isObject).slice(0, 50), ({ key, score, value, comment }) => ({
      key,
      score,
      value,
      comment,
    }))
  }
  if (!isObject(stats) || Object.keys(stats).length === 0) return undefined
  const short = mapped(Object.entries(stats).slice(0, 50), ([key, each]) => {
    return [key, isObject(each) ? { n: each.n, avg: each.avg } : each] as const
  })
  return Object.fromEntries(short)
}
