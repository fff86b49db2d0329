import { defineFormat } from '../../contract/index.js'
import { messagesInTranscript } from './recording.js'

/** Calls of Bland: answers of its API, and its webhooks. */
export const bland = defineFormat({
  id: 'bland',
  title: 'Bland call',
  accepts: '{ "call_id", "transcripts": [{ "user": "assistant", "text", "created_at" }] }',
  signature: {
    'call_id transcripts[].user transcripts[].text': 0.97,
    'call_id concatenated_transcript': 0.95,
  },
  // Calls that nobody answers have no messages.
  empty: 'call_id queue_status',
  conversation: {
    externalId: 'call_id',
    sourceTimestamp: ['started_at', 'created_at'],
    metadata: {
      answered_by: 'answered_by',
      call_ended_by: 'call_ended_by',
      error_message: 'error_message',
      transferred_to: 'transferred_to',
      summary: 'summary',
    },
  },
  messages: ['transcripts', 'concatenated_transcript'],
  printed: messagesInTranscript,
  role: ({ user, role }) => user ?? role,
  roles: { assistant: 'assistant robot', user: 'user', system: 'agent-action', omitted: '*' },
  text: ['text', 'content'],
  time: 'created_at',
  lost: ['to', 'from', 'variables', 'request_data', 'pathway_logs', 'analysis', 'analysis_schema', 'metadata'],
  structure: 'user end_at queue_status endpoint_url c_id',
})
