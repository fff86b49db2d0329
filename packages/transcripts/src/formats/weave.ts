import { type Format, type Notes, placeIn, type Reader } from '../format.js'
import { describe, isObject, type JsonObject, textOf } from '../json.js'
import { messagesIn, messagesOfCall } from '../logged-messages.js'
import { nanosOf } from '../nanos.js'
import type { Span } from '../span.js'
import { isToolSpan, toolOf } from '../tool-span.js'
import { TraceLog } from '../trace-log.js'
import { type Place, within } from '../turn.js'

/** Calls of W&B Weave, as its API and its exports give them. */
export const weave: Format<'weave'> = {
  id: 'weave',
  title: 'W&B Weave calls',
  accepts: '{ "id", "op_name", "trace_id", "inputs", "output" } as lines, as an array, or under "calls"',
  fields: ['op_name', 'trace_id', 'parent_id', 'inputs', 'output', 'started_at', 'calls'],
  found: 'exports of calls from the traces table; output of `get_calls` of the SDK or of the API',
  keeps: 'a transcript for each thread, else for each trace; model, times, display name; sub-agents on request',
  loses: 'model calls beside the conversation, other operations, summaries with token counts and costs',
  skipsEmpty: true,
  marks: ['op_name', 'calls'],
  detect(value) {
    if (!isObject(value)) return 0
    if (isCall(value)) return 0.95
    return Array.isArray(value.calls) && isObject(value.calls[0]) && isCall(value.calls[0]) ? 0.95 : 0
  },
  reader: readerOf,
}

function isCall(value: JsonObject): boolean {
  const marks = ['inputs', 'output', 'started_at', 'trace_id', 'project_id']
  return typeof value.op_name === 'string' && marks.filter((mark) => mark in value).length >= 2
}

function readerOf(notes: Notes): Reader {
  const log = new TraceLog()
  return {
    take(record) {
      const { value } = record
      const place = placeIn(record)
      if (isObject(value) && isCall(value)) addCall(value, place, log)
      else if (isObject(value) && Array.isArray(value.calls)) {
        value.calls.forEach((call: unknown, index) => {
          if (isObject(call)) addCall(call, within(place, 'calls', index), log)
        })
      } else notes.report(`expected ${weave.accepts}; found ${describe(value)}`, place)
      return []
    },
    end: () => log.drafts(weave.id, notes),
  }
}

function addCall(call: JsonObject, place: Place, log: TraceLog): void {
  const inputs = isObject(call.inputs) ? call.inputs : {}
  const output = isObject(call.output) ? call.output : {}
  const kind = kindOf(call, inputs)
  const trace = textOf(call.trace_id) ?? textOf(call.id) ?? 'call'
  const error = textOf(call.exception)
  const read = kind === 'model' ? messagesOfCall : messagesIn
  const above = textOf(call.parent_id)
  if (above === undefined) log.tell(trace, { name: textOf(call.display_name), at: call.started_at }, place)
  log.add({
    trace,
    id: textOf(call.id),
    parent: above,
    conversation: textOf(call.thread_id),
    kind,
    start: nanosOf(call.started_at),
    startAt: call.started_at,
    endAt: call.ended_at,
    model: output.model ?? inputs.model,
    place,
    given: () => read(call.inputs, 'user', within(place, 'inputs')),
    gave: () => read(call.output, 'assistant', within(place, 'output')),
    error,
    tool: kind === 'tool' ? toolOf(operationOf(call), call.inputs, call.output, error) : undefined,
  })
}

/** Integrations mark their calls; those of a provider's SDK are known by what they were given. */
function kindOf(call: JsonObject, inputs: JsonObject): Span['kind'] {
  const attributes = isObject(call.attributes) ? call.attributes : {}
  const { kind } = isObject(attributes.weave) && attributes.weave.kind !== undefined ? attributes.weave : attributes
  if (kind === 'tool' || isToolSpan(operationOf(call))) return 'tool'
  if (kind === 'llm') return 'model'
  if (kind === 'agent') return 'agent'
  const isAsked = ['messages', 'contents', 'prompt', 'input'].some((field) => field in inputs)
  return 'model' in inputs && isAsked ? 'model' : 'other'
}

/** `weather` of `weave:///entity/project/op/weather:hash`. */
function operationOf({ op_name: name }: JsonObject): string | undefined {
  return textOf(name)
    ?.replace(/^weave:\/\/\/.*\/op\//s, '')
    .replace(/:[\w*]+$/, '')
}
