import { asObject, isObject, type JsonObject, textOf } from '../../json/index.js'
import { within } from '../../model/index.js'
import { formatOfRuns, type LoggedRun } from './run-log.js'
import { isToolSpan, nestedIn, type PlacedObject } from './run-reader.js'
import type { Span } from './span.js'

export const weave = formatOfRuns({
  id: 'weave',
  title: 'W&B Weave calls',
  accepts: '{ "id", "op_name", "trace_id", "inputs", "output" } as lines, as an array, or under "calls"',
  fields: ['op_name', 'trace_id', 'parent_id', 'inputs', 'output', 'started_at', 'calls'],
  structure: 'op_name',
  runsIn: (value, place) => nestedIn(value, place, 'calls', isCall).map(runOf),
})

function isCall(value: JsonObject): boolean {
  const marks = ['inputs', 'output', 'started_at', 'trace_id', 'project_id']
  return typeof value.op_name === 'string' && marks.filter((mark) => mark in value).length >= 2
}

function runOf({ value: call, place }: PlacedObject): LoggedRun {
  const inputs = asObject(call.inputs)
  const output = asObject(call.output)
  const above = textOf(call.parent_id)
  return {
    place,
    trace: textOf(call.trace_id) ?? textOf(call.id) ?? 'call',
    id: textOf(call.id),
    parent: above,
    conversation: textOf(call.thread_id),
    kind: kindOf(call, inputs),
    name: operationOf(call),
    model: output.model ?? inputs.model,
    error: textOf(call.exception),
    startAt: call.started_at,
    endAt: call.ended_at,
    input: { value: call.inputs, place: within(place, 'inputs') },
    output: { value: call.output, place: within(place, 'output') },
    facts: above === undefined ? { name: textOf(call.display_name), at: call.started_at } : undefined,
  }
}

/** Integrations mark their calls; calls of a provider SDK are known by their inputs. */
function kindOf(call: JsonObject, inputs: JsonObject): Span['kind'] {
  const attributes = asObject(call.attributes)
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
