import { defineFormat, roleByFlag } from '../../contract/index.js'
import { asObject, isObject, type JsonObject } from '../../json/index.js'
import { isPrivate } from './message.js'

/** The messages of a conversation, as the API of Crisp lists them. */
export const crisp = defineFormat({
  id: 'crisp',
  title: 'Crisp conversation',
  accepts: '{ "data": [{ "session_id", "type": "text", "from": "user" | "operator", "content", "timestamp" }] }',
  signature: { 'data[].session_id data[].from=user|operator data[].timestamp': 0.97 },
  conversation: { externalId: ({ data }) => asObject(Array.isArray(data) ? data[0] : undefined).session_id },
  messages: 'data',
  order: 'timestamp',
  role: ({ type, from, automated }) =>
    type === 'event' ? type : from === 'operator' ? roleByFlag(automated ?? false, 'bot', from) : from,
  roles: { user: 'user', human_agent: 'operator', assistant: 'bot', omitted: 'event' },
  text: ({ content }) => (isObject(content) ? (content.text ?? content.explain ?? content.namespace) : content),
  files: ({ type, content }) => (isFile(type) && isObject(content) ? [fileOf(content)] : []),
  time: 'timestamp',
  note: isPrivate,
  metadata: { author: 'user.nickname' },
  structure: 'reason origin fingerprint website_id namespace avatar from',
})

const isFile = (type: unknown) => type === 'file' || type === 'audio' || type === 'animation'
const fileOf = ({ name, url, type }: JsonObject): JsonObject => ({ type: 'file', filename: name, url, mime_type: type })
