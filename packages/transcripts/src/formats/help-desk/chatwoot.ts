import { defineFormat } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf } from '../../json/index.js'
import { isPrivate } from './message.js'

/** The messages of a conversation, as the API of Chatwoot lists them. */
export const chatwoot = defineFormat({
  id: 'chatwoot',
  title: 'Chatwoot conversation',
  accepts: '{ "meta", "payload": [{ "content", "message_type": 0 | 1, "private", "sender", "created_at" }] }',
  signature: { 'payload[].message_type payload[].conversation_id': 0.97 },
  conversation: {
    externalId: ({ payload }) => objectsOf(payload)[0]?.conversation_id,
    externalUserId: ['meta.contact.id', 'meta.sender.id'],
    metadata: { labels: 'meta.labels' },
  },
  messages: 'payload',
  order: 'created_at',
  role: ({ message_type: type, sender }) =>
    asObject(sender).type === 'agent_bot' ? 'bot' : typeof type === 'number' ? types[type] : type,
  roles: { user: 'incoming', human_agent: 'outgoing', assistant: 'bot template', omitted: 'activity' },
  text: 'content',
  files: ({ attachments }) => objectsOf(attachments).map(fileOf),
  time: 'created_at',
  note: isPrivate,
  metadata: { author: 'sender.name' },
  lost: ['meta'],
  structure: 'content_type message_type source_id thumbnail avatar_url',
})

/** The types of messages by their numbers: automatic messages are templates, and changes of a conversation activities. */
const types = ['incoming', 'outgoing', 'activity', 'template']

const fileOf = ({ file_type: type, data_url: url }: JsonObject): JsonObject => ({ type, url })
