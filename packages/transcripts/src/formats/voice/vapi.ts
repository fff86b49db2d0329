import { defineFormat, type Note } from '../../contract/index.js'
import type { JsonObject } from '../../json/index.js'
import { messagesInTranscript } from './recording.js'

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
  messages: ['artifact.messages', 'messages', 'artifact.transcript', 'transcript'],
  printed: messagesInTranscript,
  roles: {
    assistant: 'bot assistant tool_calls tool-calls',
    user: 'user',
    system: 'system',
    tool: 'tool_call_result tool',
    omitted: '*',
  },
  text: vapiText,
  time: 'time',
  calls: {
    in: ['toolCalls', 'toolCallList'],
    id: 'id',
    name: ['function.name', 'name'],
    args: ['function.arguments', 'arguments'],
  },
  results: { id: 'toolCallId', name: 'name', output: ['result', 'message', 'content'] },
  lost: [
    'messagesOpenAIFormatted',
    'artifact.messagesOpenAIFormatted',
    'artifact.variables',
    'artifact.variableValues',
    'artifact.recording',
    'artifact.recordingUrl',
    'artifact.stereoRecordingUrl',
    'recordingUrl',
    'stereoRecordingUrl',
    'assistant',
    'customer',
    'phoneNumber',
    'costs',
  ],
  structure: 'source status word',
})

/** The text beside calls is usually just "Tool Call". */
function vapiText({ role, message, content }: JsonObject, note: Note): unknown {
  const text = message ?? content ?? ''
  const isCall = role === 'tool_calls' || role === 'tool-calls'
  return isCall && typeof text === 'string' && /^(tool calls?)?$/i.test(text.trim()) ? note(text) : text
}
