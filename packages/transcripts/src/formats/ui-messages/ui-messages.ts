import { defineFormat, scoreOfList, uiMessage, usualFacts } from '../../contract/index.js'
import { asObject, isObject, type JsonObject, sampleOf } from '../../json/index.js'

export const uiMessages = defineFormat({
  id: 'ui-messages',
  isGeneric: true,
  title: 'Vercel AI SDK messages',
  accepts: '{ "messages": [{ "role", "parts" }] }, that array alone, or rows with a chatId',
  signature: scoreOf,
  fields: 'messages role parts toolInvocations chatId createdAt',
  rows: { id: chatOf },
  conversation: {
    ...usualFacts,
    externalId: ['id', 'chatId'],
    externalUserId: ['userId', 'user'],
    metadata: 'metadata',
  },
  messages: 'messages',
  shape: uiMessage,
  structure: 'visibility updatedAt trigger',
})

function scoreOf(value: unknown): number {
  const list = isObject(value) ? value.messages : value
  if (!Array.isArray(list)) return uiMessage.score(value)
  const sample = sampleOf(list)
  // Plain text messages are ambiguous; one that only the AI SDK has decides.
  const haveRoles = sample.every((message) => typeof asObject(message).role === 'string')
  if (haveRoles && sample.some((message) => uiMessage.score(message) > 0.9)) return 0.95
  return scoreOfList(list, uiMessage.score)
}

/** The chat id of a database row. A chat itself has messages. */
function chatOf({ messages, role, chatId, chat_id = chatId }: JsonObject): unknown {
  return messages === undefined && typeof role === 'string' ? chat_id : undefined
}
