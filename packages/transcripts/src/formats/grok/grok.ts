import { defineFormat } from '../../contract/index.js'
import { asList, objectsOf, textOf } from '../../json/index.js'

/** The data export of Grok, and the answer of its web page. */
export const grok = defineFormat({
  id: 'grok',
  title: 'Grok export',
  accepts:
    '{ "conversations": [{ "conversation": { "id", "title" }, "responses": [{ "response": { "sender", "message" } }] }] }',
  signature: {
    'conversation responses[].response.sender': 0.97,
    'conversation responses.responses[].sender': 0.97,
  },
  empty: 'conversation responses[]',
  conversations: 'conversations',
  conversation: {
    name: 'conversation.title',
    externalId: ['conversation.id', 'conversation.conversationId'],
    sourceTimestamp: ['conversation.create_time', 'conversation.createTime'],
  },
  messages: ['responses.responses', 'responses'],
  tree: {
    id: ['response._id', 'responseId'],
    parent: ['response.parent_response_id', 'parentResponseId'],
  },
  role: ['response.sender', 'sender'],
  roles: { user: 'human HUMAN', assistant: 'assistant ASSISTANT' },
  text: ['response.message', 'message'],
  thinking: ({ steps }) => objectsOf(steps).flatMap(({ text }) => asList(text).map(textOf)),
  time: ['response.create_time.$date.$numberLong', 'response.create_time', 'createTime'],
  model: ['response.model', 'model'],
  structure: 'tags',
})
