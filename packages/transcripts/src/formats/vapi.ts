import { eachRecord, type FileRecord, type Format, placeIn, type ReaderContext } from '../contract/index.js'
import { ConversationBuilder, isMetadataValue } from '../conversation/index.js'
import {
  asObject,
  defined,
  describe,
  isObject,
  type JsonObject,
  objectsOf,
  sampleOf,
  textOf,
  wordMap,
} from '../json/index.js'
import { callFields, callsOf } from '../messages/index.js'
import { type ConversationDraft, fieldsOf, type Place, reasons } from '../model/index.js'

const message = fieldsOf(
  'role message content time endTime secondsFromStart duration result name toolCallId source id type',
  { toolCalls: callFields, toolCallList: callFields },
)
const callNames =
  'id orgId type name customerId assistantId squadId phoneNumberId createdAt startedAt endedAt updatedAt endedReason status transcript'
const shared = {
  messages: message,
  artifact: fieldsOf('transcript', { messages: message }),
  analysis: fieldsOf('summary successEvaluation'),
}
const call = fieldsOf(callNames, shared)
const report = fieldsOf(`${callNames} timestamp`, { ...shared, call })

/** Vapi voice calls, from its API or from the report at the end of a call. */
export const vapi: Format<'vapi'> = {
  id: 'vapi',
  title: 'Vapi call',
  accepts: '{ "id", "messages": [{ "role": "bot", "message", "time", "secondsFromStart" }] }',
  fields: ['messages', 'artifact', 'transcript', 'endedReason', 'secondsFromStart', 'assistantId'],
  found: 'call responses of the Vapi API; end-of-call reports',
  keeps: 'times, end reason, summary, evaluation',
  loses: 'recordings, costs, word timings',
  reads: (value) => (isReport(value.message) ? fieldsOf('', { message: report }) : report),
  detect(value) {
    const call = callIn(value)
    if (!call) return 0
    // Only Vapi messages have a time relative to the call.
    const sample = objectsOf(sampleOf(messagesIn(call.value)?.list))
    if (sample.some((message) => 'secondsFromStart' in message && typeof message.role === 'string')) return 0.97
    return 'endedReason' in call.value && typeof transcriptIn(call.value) === 'string' ? 0.9 : 0
  },
  reader: (notes) =>
    eachRecord(vapi, notes, (value, record) => {
      const call = callIn(value)
      return call && readCall(call, record, notes)
    }),
}

function isReport(message: unknown): message is JsonObject {
  return isObject(message) && 'artifact' in message
}

interface Call {
  value: JsonObject
  /** The facts of the call, if a report holds the messages. */
  facts: JsonObject
  pointer: string
}

function callIn(value: unknown): Call | undefined {
  if (!isObject(value)) return undefined
  const report = isReport(value.message) ? value.message : undefined
  const call = report ?? value
  return {
    value: call,
    facts: isObject(call.call) ? { ...call.call, ...call } : call,
    pointer: report ? '/message' : '',
  }
}

function messagesIn(call: JsonObject): { list: unknown[]; pointer: string } | undefined {
  if (Array.isArray(call.messages) && call.messages.length > 0) return { list: call.messages, pointer: '/messages' }
  const artifact = asObject(call.artifact)
  return Array.isArray(artifact.messages) ? { list: artifact.messages, pointer: '/artifact/messages' } : undefined
}

function transcriptIn(call: JsonObject): unknown {
  return call.transcript ?? asObject(call.artifact).transcript
}

function readCall({ value, facts, pointer }: Call, record: FileRecord, notes: ReaderContext): ConversationDraft {
  const conversation = new ConversationBuilder(notes)
  const messages = messagesIn(value)
  const transcript = transcriptIn(value)
  if (messages) {
    for (const [index, message] of messages.list.entries()) {
      const place = placeIn(record, `${pointer}${messages.pointer}/${index}`)
      if (isObject(message)) addMessage(message, place, conversation)
      else notes.report(`expected a message with a role; found ${describe(message)}`, place)
    }
  } else if (typeof transcript === 'string') {
    addTranscript(transcript, placeIn(record, `${pointer}/transcript`), conversation)
  } else notes.report(`expected ${vapi.accepts}; found ${describe(record.value)}`, placeIn(record, pointer))
  if (messages && typeof transcript === 'string' && transcript !== '') {
    conversation.losses.drop('printed transcript', reasons.othersRead)
  }
  const analysis = asObject(facts.analysis)
  return conversation.build({
    name: textOf(facts.name),
    externalId: textOf(facts.id),
    externalUserId: textOf(facts.customerId),
    sourceTimestamp: conversation.time(facts.startedAt ?? facts.createdAt),
    metadata: defined<JsonObject>({
      assistant_id: textOf(facts.assistantId),
      ended_reason: textOf(facts.endedReason),
      summary: textOf(analysis.summary)?.slice(0, 1000),
      success_evaluation: isMetadataValue(analysis.successEvaluation) ? analysis.successEvaluation : undefined,
    }),
    place: placeIn(record, pointer),
  })
}

const speakers = wordMap({ assistant: 'bot assistant', user: 'user', system: 'system' })

function addMessage(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { role, message: text, time, result, name, toolCallId } = message
  const content = text ?? message.content ?? ''
  const isResult = role === 'tool_call_result' || role === 'tool'
  conversation.losses.addOthers(
    message,
    isResult ? ['result', 'message', 'content'] : ['message', 'content'],
    'message ',
  )
  if (!isResult && result !== undefined) conversation.losses.addField('result', result, 'message ')
  const speaker = speakers.get(role)
  if (speaker !== undefined) conversation.addMessage(speaker, content, { place, at: time, message })
  else if (role === 'tool_calls' || role === 'tool-calls') {
    // The text is usually just "Tool Call".
    const isLabel = typeof content !== 'string' || /^(tool calls?)?$/i.test(content.trim())
    if (!isLabel) conversation.losses.addField('message', content, 'tool call ')
    conversation.addToolCalls(callsOf({ tool_calls: message.toolCalls ?? message.toolCallList }), { place, at: time })
  } else if (isResult) {
    conversation.addToolResult({ id: toolCallId, name, output: result ?? content }, { place, at: time })
  } else conversation.losses.drop(`message with the role ${describe(role)}`, 'the role is unknown')
}

/** The fallback: lines such as `AI: Hello` and `User: Hi`. A line without a speaker continues the one before. */
function addTranscript(transcript: string, place: Place, conversation: ConversationBuilder): void {
  let message: object = {}
  let role: 'assistant' | 'user' = 'assistant'
  for (const line of transcript.split('\n')) {
    const [, speaker, rest] = /^(AI|Bot|Assistant|User|Customer):\s?(.*)$/i.exec(line) ?? []
    if (speaker !== undefined) {
      message = {}
      role = /^(user|customer)$/i.test(speaker) ? 'user' : 'assistant'
    }
    const text = rest ?? line
    if (text.trim() !== '') conversation.addMessage(role, text, { place, message })
  }
}
