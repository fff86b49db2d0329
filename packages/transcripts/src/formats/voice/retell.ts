import { defineFormat } from '../../contract/index.js'
import { type JsonObject, objectsOf } from '../../json/index.js'
import { messagesInTranscript, timeAfter } from './recording.js'

/** Calls and chats of Retell: answers of its API, and its webhooks. */
export const retell = defineFormat({
  id: 'retell',
  title: 'Retell call or chat',
  accepts:
    '{ "call_id", "transcript_with_tool_calls" or "transcript_object": [{ "role": "agent", "content", "words" }] }',
  signature: {
    'call_id transcript_object[].role': 0.97,
    'call_id transcript_with_tool_calls[].role': 0.97,
    'call_id scrubbed_transcript_with_tool_calls[].role': 0.97,
    'chat_id message_with_tool_calls[].role': 0.97,
    'call_id call_type=phone_call|web_call transcript': 0.95,
  },
  // Calls that nobody answers have no messages.
  empty: 'call_id call_type=phone_call|web_call call_status',
  conversations: 'call',
  conversation: {
    name: 'agent_name',
    externalId: ['call_id', 'chat_id'],
    sourceTimestamp: 'start_timestamp',
    metadata: {
      agent_id: 'agent_id',
      direction: 'direction',
      disconnection_reason: 'disconnection_reason',
      summary: ['call_analysis.call_summary', 'chat_analysis.chat_summary'],
      user_sentiment: ['call_analysis.user_sentiment', 'chat_analysis.user_sentiment'],
      successful: ['call_analysis.call_successful', 'chat_analysis.chat_successful'],
    },
  },
  messages: [
    'transcript_with_tool_calls',
    'scrubbed_transcript_with_tool_calls',
    'transcript_object',
    'message_with_tool_calls',
    'transcript',
  ],
  printed: messagesInTranscript,
  roles: {
    assistant: 'agent assistant tool_call_invocation',
    user: 'user dtmf sms',
    human_agent: 'transfer_target',
    system: 'injected',
    tool: 'tool_call_result',
    omitted: 'node_transition',
  },
  text: ['content', 'digit', 'new_node_name'],
  files: ({ multimedia }) => multimedia,
  time: (message, _, { start_timestamp: start }) => message.created_timestamp ?? timeAfter(start, secondsOf(message)),
  calls: {
    in: (message) => (message.role === 'tool_call_invocation' ? message : undefined),
    id: 'tool_call_id',
    name: 'name',
    args: 'arguments',
  },
  results: { id: 'tool_call_id', output: 'content', error: ({ successful }) => successful === false },
  lost: [
    'from_number',
    'to_number',
    'retell_llm_dynamic_variables',
    'collected_dynamic_variables',
    'custom_sip_headers',
    'metadata',
    'recording_url',
    'recording_multi_channel_url',
    'public_log_url',
    'access_token',
  ],
  structure: 'event word call_status chat_status data_storage_setting',
})

const secondsOf = ({ time_sec: seconds, words }: JsonObject) => seconds ?? objectsOf(words)[0]?.start
