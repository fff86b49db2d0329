import { defineFormat, type Note } from '../declared/index.js'
import type { JsonObject } from '../json/index.js'

export const vapi = defineFormat({
  id: 'vapi',
  title: 'Vapi call',
  accepts: '{ "id", "messages": [{ "role": "bot", "message", "time", "secondsFromStart" }] }',
  // Only Vapi messages have a time relative to the call.
  signature: {
    'messages[].secondsFromStart messages[].role': 0.97,
    'artifact.messages[].secondsFromStart artifact.messages[].role': 0.97,
    'endedReason transcript': 0.9,
    'endedReason artifact.transcript': 0.9,
  },
  // Calls that nobody answers have no messages.
  empty: 'endedReason',
  // A report at the end of a call holds the facts of the call beside the messages.
  conversations: 'message',
  conversation: {
    name: ['name', 'call.name'],
    externalId: ['id', 'call.id'],
    externalUserId: ['customerId', 'call.customerId'],
    sourceTimestamp: ['startedAt', 'call.startedAt', 'createdAt', 'call.createdAt'],
    metadata: {
      assistant_id: ['assistantId', 'call.assistantId'],
      ended_reason: ['endedReason', 'call.endedReason'],
      summary: ['analysis.summary', 'call.analysis.summary'],
      success_evaluation: ['analysis.successEvaluation', 'call.analysis.successEvaluation'],
    },
  },
  messages: ['messages', 'artifact.messages', 'transcript', 'artifact.transcript'],
  printed: messagesInTranscript,
  roles: {
    assistant: 'bot assistant tool_calls tool-calls',
    user: 'user',
    system: 'system',
    tool: 'tool_call_result tool',
    omitted: '*',
  },
  text: textOf,
  time: 'time',
  calls: {
    in: ['toolCalls', 'toolCallList'],
    id: 'id',
    name: ['function.name', 'name'],
    args: ['function.arguments', 'arguments'],
  },
  results: { id: 'toolCallId', name: 'name', output: ['result', 'message', 'content'] },
  structure: 'source status',
})

/** The text beside calls is usually just "Tool Call". */
function textOf({ role, message, content }: JsonObject, note: Note): unknown {
  const text = message ?? content ?? ''
  const isCall = role === 'tool_calls' || role === 'tool-calls'
  return isCall && typeof text === 'string' && /^(tool calls?)?$/i.test(text.trim()) ? note(text) : text
}

/** Lines such as `AI: Hello` and `User: Hi`. A line without a speaker continues the one before. */
function messagesInTranscript(transcript: string): JsonObject[] {
  const lines = transcript.split(/\n(?=(?:AI|Bot|Assistant|User|Customer):)/i)
  return lines.map((line) => {
    const [, speaker = '', text = line] = /^(\w+):\s?(.*)$/s.exec(line.trimEnd()) ?? []
    return { role: /^(user|customer)$/i.test(speaker) ? 'user' : 'assistant', message: text }
  })
}
