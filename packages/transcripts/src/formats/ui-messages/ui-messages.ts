import {
  conversationOf,
  type Format,
  type MessageList,
  type ReaderContext,
  readerOfLists,
  scoreOfList,
  uiMessage,
  usualHead,
  usualHeadFields,
} from '../../contract/index.js'
import { metadataIn } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, sampleOf, textOf, wordSet } from '../../json/index.js'
import type { ConversationDraft } from '../../model/index.js'

export const uiMessages: Format<'ui-messages'> = {
  id: 'ui-messages',
  isGeneric: true,
  title: 'Vercel AI SDK messages',
  accepts: '{ "messages": [{ "role", "parts" }] }, that array alone, or rows with a chatId',
  fields: ['messages', 'role', 'parts', 'toolInvocations', 'chatId', 'createdAt'],
  detect(value) {
    const list = Array.isArray(value) ? value : isObject(value) ? value[listIn(value) ?? ''] : undefined
    if (!Array.isArray(list)) return uiMessage.score(value)
    const sample = sampleOf(list)
    // Plain text messages are ambiguous; one that only the AI SDK has decides.
    const haveRoles = sample.every((message) => typeof asObject(message).role === 'string')
    if (haveRoles && sample.some((message) => uiMessage.score(message) > 0.9)) return 0.95
    return scoreOfList(list, uiMessage.score)
  },
  reader: (context) => readerOfLists(uiMessages, context, { listIn, idIn: chatOf }, (list) => readChat(list, context)),
}

const headFields = wordSet('messages id chatId userId user visibility updatedAt metadata trigger', usualHeadFields)

function listIn(value: JsonObject): string | undefined {
  return Array.isArray(value.messages) ? 'messages' : undefined
}

function readChat({ head, messages, place }: MessageList, context: ReaderContext): ConversationDraft {
  const conversation = conversationOf(messages, uiMessage, context)
  conversation.losses.addFields(head, headFields)
  const { name, modelName, at } = usualHead(head, conversation.losses)
  return conversation.build({
    name,
    modelName,
    sourceTimestamp: conversation.time(at),
    externalId: textOf(head.id) ?? textOf(head.chatId),
    externalUserId: textOf(head.userId) ?? textOf(head.user),
    metadata: metadataIn(head, conversation.losses),
    place,
  })
}

/** The chat id of a database row. A chat itself has messages. */
function chatOf(row: unknown): string | undefined {
  if (!isObject(row) || 'messages' in row || typeof row.role !== 'string') return undefined
  return textOf(row.chatId) ?? textOf(row.chat_id)
}
