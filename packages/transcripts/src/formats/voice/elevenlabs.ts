import { defineFormat } from '../../contract/index.js'
import { asObject } from '../../json/index.js'
import { timeAfter } from './recording.js'

/** Conversations of ElevenLabs agents: answers of its API, its webhooks and simulations. */
export const elevenlabs = defineFormat({
  id: 'elevenlabs',
  title: 'ElevenLabs conversation',
  accepts: '{ "agent_id", "conversation_id", "transcript": [{ "role": "agent", "message", "time_in_call_secs" }] }',
  signature: {
    'transcript[].time_in_call_secs transcript[].role': 0.96,
    'simulated_conversation[].time_in_call_secs simulated_conversation[].role': 0.96,
  },
  // Conversations that failed before somebody spoke have no messages.
  empty: 'agent_id conversation_id transcript[] metadata.start_time_unix_secs',
  // A webhook has the conversation in its data.
  conversations: 'data',
  conversation: {
    name: 'analysis.call_summary_title',
    externalId: 'conversation_id',
    externalUserId: 'user_id',
    language: 'metadata.main_language',
    sourceTimestamp: 'metadata.start_time_unix_secs',
    metadata: {
      agent_id: 'agent_id',
      agent_name: 'agent_name',
      termination_reason: 'metadata.termination_reason',
      summary: 'analysis.transcript_summary',
      successful: 'analysis.call_successful',
    },
  },
  system: 'conversation_initiation_client_data.conversation_config_override.agent.prompt.prompt',
  messages: ['transcript', 'simulated_conversation'],
  roles: { assistant: 'agent', user: 'user' },
  // A message that is only a call is null.
  text: 'message',
  time: ({ time_in_call_secs: seconds }, _, { metadata }) =>
    timeAfter(asObject(metadata).start_time_unix_secs, seconds),
  model: ({ llm_usage }) => Object.keys(asObject(asObject(llm_usage).model_usage))[0],
  metadata: {
    interrupted: ({ interrupted }) => interrupted === true || undefined,
    // The whole of a message that was interrupted.
    original_message: 'original_message',
    feedback: 'feedback.score',
  },
  calls: { in: 'tool_calls', id: 'request_id', name: 'tool_name', args: 'params_as_json' },
  results: { in: 'tool_results', id: 'request_id', name: 'tool_name', output: 'result_value', error: 'is_error' },
  lost: [
    'conversation_initiation_client_data.dynamic_variables',
    'analysis.evaluation_criteria_results',
    'analysis.data_collection_results',
    'metadata.phone_call',
  ],
  structure: 'source_medium call_successful tool_details',
})
