import { defineFormat } from '../../contract/index.js'
import { isObject } from '../../json/index.js'

/** The chat context of LiveKit agents, alone or in the report of a session. */
export const livekit = defineFormat({
  id: 'livekit',
  title: 'LiveKit session',
  accepts: '{ "items": [{ "type": "message", "role", "content", "interrupted" }] }, or a report with "chat_history"',
  signature: {
    'items[].type=message items[].interrupted': 0.97,
    'items[].type=function_call_output items[].call_id items[].is_error': 0.97,
    'room chat_history.items[].type': 0.97,
    'chat_history.items[].type=message chat_history.items[].interrupted': 0.97,
  },
  empty: 'room_id job_id chat_history.items[]',
  conversation: {
    name: 'room',
    externalId: ['room_id', 'job_id'],
    sourceTimestamp: ['started_at', 'audio_recording_started_at'],
    metadata: { job_id: 'job_id' },
  },
  messages: ['chat_history.items', 'items'],
  role: ({ type, role }) => (type === 'message' ? role : type),
  roles: {
    system: 'system developer agent_config_update',
    user: 'user',
    assistant: 'assistant function_call',
    tool: 'function_call_output',
    omitted: 'agent_handoff',
  },
  text: ({ content, instructions }) => [content ?? instructions].flat().map(partOf),
  time: 'created_at',
  model: 'metrics.llm_metadata.model_name',
  metadata: { interrupted: ({ interrupted }) => interrupted === true || undefined },
  calls: {
    in: (item) => (item.type === 'function_call' ? item : undefined),
    id: 'call_id',
    name: 'name',
    args: 'arguments',
  },
  results: { id: 'call_id', name: 'name', output: 'output', error: 'is_error' },
  lost: ['events', 'options', 'usage', 'recording_options', 'model_usage'],
  structure: 'role audio_recording_path inference_detail model_provider group_id',
})

/** Speech has its transcript, and instructions a variant for speech. */
function partOf(part: unknown): unknown {
  if (!isObject(part)) return { type: 'text', text: part }
  const text = part.type === 'audio_content' ? part.transcript : part.type === 'instructions' ? part.audio : undefined
  return typeof text === 'string' ? { type: 'text', text } : part
}
