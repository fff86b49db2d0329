import { defineFormat, type Format } from '../../contract/index.js'
import { asObject, isObject, type JsonObject, textOf } from '../../json/index.js'
import { isToolSpan, type PlacedObject, readerOfRuns, runsIn, scoreOfRuns, spanOfRun } from './run-reader.js'
import type { Span } from './span.js'
import type { TraceLog } from './trace-log.js'

export const weave: Format<'weave'> = defineFormat({
  id: 'weave',
  isGeneric: true,
  title: 'W&B Weave calls',
  accepts: '{ "id", "op_name", "trace_id", "inputs", "output" } as lines, as an array, or under "calls"',
  fields: ['op_name', 'trace_id', 'parent_id', 'inputs', 'output', 'started_at', 'calls'],
  signature: (value) => scoreOfRuns(value, 'calls', isCall),
  recordsRepeat: true,
  structure: 'op_name',
  reader: (context) =>
    readerOfRuns(weave, context, (value, place, log) => {
      const calls = runsIn(value, place, 'calls', isCall)
      for (const call of calls) addCall(call, log)
      return calls.length > 0
    }),
})

function isCall(value: JsonObject): boolean {
  const marks = ['inputs', 'output', 'started_at', 'trace_id', 'project_id']
  return typeof value.op_name === 'string' && marks.filter((mark) => mark in value).length >= 2
}

function addCall({ value: call, place }: PlacedObject, log: TraceLog): void {
  const inputs = asObject(call.inputs)
  const output = asObject(call.output)
  const kind = kindOf(call, inputs)
  const trace = textOf(call.trace_id) ?? textOf(call.id) ?? 'call'
  const above = textOf(call.parent_id)
  const losses = log.lossesOf(trace, place)
  if (above === undefined) log.addFacts(trace, { name: textOf(call.display_name), at: call.started_at }, place)
  const facts = {
    trace,
    id: textOf(call.id),
    parent: above,
    conversation: textOf(call.thread_id),
    kind,
    startAt: call.started_at,
    endAt: call.ended_at,
    model: output.model ?? inputs.model,
    error: textOf(call.exception),
    name: operationOf(call),
  }
  log.add(spanOfRun({ value: call, place }, ['inputs', 'output'], facts, losses))
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
