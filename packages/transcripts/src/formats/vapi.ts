import { eachRecord, type Format, type ReaderContext, shellScore } from '../contract/index.js'
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
import { callsOf } from '../messages/index.js'
import {
  type ConversationDraft,
  elementsOf,
  type Place,
  type Placed,
  reasons,
  startOfFile,
  within,
} from '../model/index.js'

export const vapi: Format<'vapi'> = {
  id: 'vapi',
  title: 'Vapi call',
  accepts: '{ "id", "messages": [{ "role": "bot", "message", "time", "secondsFromStart" }] }',
  fields: ['messages', 'message', 'artifact', 'transcript', 'endedReason', 'secondsFromStart', 'assistantId'],
  // Calls that nobody answers have no messages.
  skipsEmpty: true,
  detect(value) {
    if (!isObject(value)) return 0
    const { call } = callIn(value)
    // Only Vapi messages have a time relative to the call.
    const sample = objectsOf(sampleOf(messagesIn(call, startOfFile)?.map((message) => message.value)))
    if (sample.some((message) => 'secondsFromStart' in message && typeof message.role === 'string')) return 0.97
    if (!('endedReason' in call)) return 0
    return typeof transcriptIn(call) === 'string' ? 0.9 : shellScore
  },
  reader: (notes) => eachRecord(vapi, notes, readCall),
}

function isReport(message: unknown): message is JsonObject {
  return isObject(message) && 'artifact' in message
}

function callIn(value: JsonObject): { call: JsonObject; steps: string[] } {
  return isReport(value.message) ? { call: value.message, steps: ['message'] } : { call: value, steps: [] }
}

function messagesIn({ messages, artifact }: JsonObject, place: Place): Placed[] | undefined {
  if (Array.isArray(messages) && messages.length > 0) return elementsOf(messages, within(place, 'messages'))
  const other = asObject(artifact).messages
  return Array.isArray(other) ? elementsOf(other, within(place, 'artifact', 'messages')) : undefined
}

function transcriptIn(call: JsonObject): unknown {
  return call.transcript ?? asObject(call.artifact).transcript
}

function readCall(value: JsonObject, outer: Place, notes: ReaderContext): ConversationDraft {
  const { call, steps } = callIn(value)
  const place = within(outer, ...steps)
  const conversation = new ConversationBuilder(notes)
  const messages = messagesIn(call, place)
  const transcript = transcriptIn(call)
  // A report holds the facts of the call beside the messages.
  const facts = isObject(call.call) ? { ...call.call, ...call } : call
  if (messages) {
    for (const { value: message, place: at } of messages) {
      if (isObject(message)) addMessage(message, at, conversation)
      else notes.report(`expected a message with a role; found ${describe(message)}`, at)
    }
  } else if (typeof transcript === 'string') {
    conversation.losses.note(transcript)
    addTranscript(transcript, within(place, 'transcript'), conversation)
  } else if (!('endedReason' in call)) notes.report(`expected ${vapi.accepts}; found ${describe(value)}`, place)
  if (messages && typeof transcript === 'string' && transcript !== '') {
    conversation.losses.dropValue(transcript, 'printed transcript', reasons.othersRead)
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
    place,
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
    if (isLabel) conversation.losses.note(content)
    else conversation.losses.addField('message', content, 'tool call ')
    conversation.addToolCalls(callsOf({ tool_calls: message.toolCalls ?? message.toolCallList }), { place, at: time })
  } else if (isResult) {
    conversation.addToolResult({ id: toolCallId, name, output: result ?? content }, { place, at: time })
  } else conversation.losses.dropValue(message, `message with the role ${describe(role)}`, 'the role is unknown')
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
