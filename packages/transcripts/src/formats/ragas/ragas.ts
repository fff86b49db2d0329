import { defineFormat } from '../../contract/index.js'

/** Samples of several turns of ragas. */
export const ragas = defineFormat({
  id: 'ragas',
  title: 'ragas sample of several turns',
  accepts: '{ "user_input": [{ "type": "human" | "ai" | "tool", "content", "tool_calls" }], "reference" }',
  signature: { 'user_input[].type=human|ai|tool user_input[].content': 0.97 },
  messages: 'user_input',
  role: 'type',
  roles: { user: 'human', assistant: 'ai', tool: 'tool' },
  calls: { in: 'tool_calls', name: 'name', args: 'args' },
  results: { output: 'content' },
  lost: ['reference', 'reference_tool_calls', 'reference_topics', 'rubrics'],
})
