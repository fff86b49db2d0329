import { defineFormat } from '../../contract/index.js'

/** Sessions in the Session Trace Simple Format, which the Hugging Face Hub shows for any harness. */
export const sessionTraces = defineFormat({
  id: 'session-traces',
  title: 'Session trace of the Hugging Face Hub (STS)',
  accepts:
    'a line { "type": "session", "harness", "id", "name"? }, then lines { "type": "message", "message": { "role", "content", "toolCalls"?, "toolCallId"? } }',
  signature: {
    'type=session harness id': 0.97,
    'type=message message.role=user|assistant|system|tool': 0.7,
  },
  header: 'type=session harness',
  conversation: { name: 'name', externalId: 'id', metadata: { harness: 'harness' } },
  role: 'message.role',
  text: 'message.content',
  thinking: 'message.reasoningContent',
  time: 'message.timestamp',
  model: 'message.model',
  calls: { in: 'message.toolCalls', id: 'id', name: 'function.name', args: 'function.arguments' },
  results: { id: 'message.toolCallId', output: 'message.content' },
})
