import { hashOf } from '../contract/index.js'
import { defined, type JsonObject } from '../json/index.js'
import type { Losses } from '../model/index.js'
import type { Transcript } from '../transcript.js'
import { callIdOf, dropFacts, dropTimes, metadataOf, type Step } from './steps.js'

/**
 * Write a conversation as one trace in the JSON of OTLP, with the conventions for GenAI: the run of an agent, and in it a model
 * call, whose input is the conversation so far and whose output is the last answer. All ids follow from the id of the
 * conversation, or without one from its turns and their places.
 */
export function otlpTrace(transcript: Transcript, steps: readonly Step[], losses: Losses): object {
  const { externalId, externalUserId, modelName, name, sourceTimestamp, turns } = transcript
  const traceId = isTraceId(externalId) ? externalId : idOf(externalId ?? JSON.stringify([name, turns]), 32)
  const { texts, others } = metadataOf(transcript, ['agent', 'trace_id'])
  const { agent, trace_id: trace = traceId } = texts
  const last = steps.at(-1)
  const answer = last?.kind === 'message' && last.role === 'assistant' ? last : undefined
  const input = answer ? steps.slice(0, -1) : steps

  // The call begins with the last message of its input. A span has both times or none, and does not end before it begins.
  const ends = steps.slice(answer ? -2 : -1)
  const begin = msOf(sourceTimestamp)
  const times = ends.map(({ turn }) => msOf(turn.createdAt))
  const isTimed = times.every((time, at) => time !== undefined && time >= (times[at - 1] ?? begin ?? 0))
  const [from = undefined, to = from] = isTimed ? times : []

  const written: (keyof Transcript)[] = ['modelName', 'externalId', 'externalUserId']
  if (begin !== undefined) written.push('sourceTimestamp')
  dropFacts({ ...transcript, metadata: trace === traceId ? others : { ...others, trace } }, written, losses)
  dropTimes(isTimed ? turns.filter((turn) => ends.every((end) => end.turn !== turn)) : turns, losses)

  const common = {
    'gen_ai.provider.name': 'unknown',
    'gen_ai.conversation.id': externalId === traceId ? undefined : externalId,
  }
  const run = {
    traceId,
    spanId: idOf(`run ${traceId}`, 16),
    name: nameOf('invoke_agent', agent),
    kind: kinds.internal,
    ...timesOf(begin ?? from, to ?? begin),
    attributes: attributesOf({
      'gen_ai.operation.name': 'invoke_agent',
      ...common,
      'gen_ai.agent.name': agent,
      'user.id': externalUserId,
    }),
  }
  const call = {
    traceId,
    spanId: idOf(`call ${traceId}`, 16),
    parentSpanId: run.spanId,
    name: nameOf('chat', modelName),
    kind: kinds.client,
    ...timesOf(from, to),
    attributes: attributesOf({
      'gen_ai.operation.name': 'chat',
      ...common,
      'gen_ai.request.model': modelName,
      'gen_ai.input.messages': JSON.stringify(input.map((step) => messageOf(step, losses))),
      'gen_ai.output.messages': answer && JSON.stringify([messageOf(answer, losses)]),
    }),
  }
  const resource = { attributes: attributesOf({ 'service.name': 'svc' }) }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'svc' }, spans: [run, call] }] }] }
}

const kinds = { internal: 1, client: 3 }

/** Hexadecimal digits that follow from a text. */
function idOf(text: string, length: 16 | 32): string {
  const hashes = [1, 2, 3].map((number) => hashOf(`${number} ${text}`).toString(16).padStart(12, '0').slice(-12))
  return hashes.join('').slice(-length)
}

const isTraceId = (id = ''): id is string => /^[0-9a-f]{32}$/.test(id) && /[^0]/.test(id)

const nameOf = (operation: string, target: string | undefined) =>
  target === undefined ? operation : `${operation} ${target}`

const attributesOf = (attributes: Record<string, string | undefined>) =>
  Object.entries(defined<JsonObject>(attributes)).map(([key, text]) => ({ key, value: { stringValue: text } }))

function messageOf(step: Step, losses: Losses): object {
  if (step.kind === 'result') {
    const { name, output } = step
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: callIdOf(step, losses), name, response: output }] }
  }
  const { role, text, calls } = step
  const spoken = text === '' ? [] : [{ type: 'text', content: text }]
  const called = calls.map(({ id, name, args = {} }) => {
    // Many programs write arguments as the text of their JSON, so that a text counts as one.
    return { type: 'tool_call', id, name, arguments: typeof args === 'string' ? JSON.stringify(args) : args }
  })
  return { role, parts: [...spoken, ...called] }
}

/** Milliseconds since 1970; undefined if their nanoseconds are no positive number of 64 bits. */
function msOf(time: string | undefined): number | undefined {
  const ms = Date.parse(time ?? '')
  return ms > 0 && ms < 2 ** 64 / 1e6 ? ms : undefined
}

const timesOf = (start: number | undefined, end: number | undefined) =>
  start === undefined ? {} : { startTimeUnixNano: `${start}000000`, endTimeUnixNano: `${end}000000` }
