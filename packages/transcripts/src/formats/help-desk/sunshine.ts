import { defineFormat, type Note } from '../../contract/index.js'
import { asList, asObject, isObject, type JsonObject, objectsOf } from '../../json/index.js'

/** Messages of Sunshine Conversations (before that Smooch), as its API lists them. */
export const sunshine = defineFormat({
  id: 'sunshine',
  title: 'Sunshine Conversations messages',
  accepts:
    '{ "messages": [{ "received", "author": { "type": "user" | "business" }, "content": { "type", "text" } }] }, or messages with "role": "appUser" | "appMaker" and "text"',
  signature: {
    'messages[].received messages[].author.type=user|business messages[].content.type': 0.97,
    'messages[].received messages[].role=appUser|appMaker|business|whisper': 0.97,
  },
  conversation: {
    externalId: ['conversation.id', 'conversation._id'],
    externalUserId: ({ messages }) =>
      objectsOf(messages)
        .map(userOf)
        .find((id) => id !== undefined),
  },
  messages: 'messages',
  order: 'received',
  role: ({ role, author }) => role ?? (isBot(author) ? 'bot' : asObject(author).type),
  roles: { user: 'user appUser', human_agent: 'business appMaker whisper', assistant: 'bot' },
  text: contentOf,
  files: (message) => [bodyOf(message)].filter(({ mediaUrl }) => mediaUrl).map(fileOf),
  time: 'received',
  note: ({ role }) => role === 'whisper',
  metadata: { author: ['author.displayName', 'name'] },
  structure: 'role subtypes mediaType integrationId originalMessageId authorId userId mediaUrl avatarUrl',
})

const isBot = (author: unknown) => asList(asObject(author).subtypes).includes('AI')

/** The user of a message, if one wrote it. */
function userOf({ role, author, authorId }: JsonObject): unknown {
  if (isObject(author)) return author.type === 'user' ? author.userId : undefined
  return role === 'appUser' ? authorId : undefined
}

/** The object with the content of a message, which older messages are themselves. */
const bodyOf = (message: JsonObject): JsonObject => (isObject(message.content) ? message.content : message)

const fileOf = ({ mediaUrl, mediaType, mediaSize }: JsonObject): JsonObject => ({
  type: 'file',
  url: mediaUrl,
  mime_type: mediaType,
  size_bytes: mediaSize,
})

/** The text of a message, with the titles of its cards and buttons, or with the answers in a form. */
function contentOf(message: JsonObject, note: Note): unknown {
  const { text, textFallback, items, actions, fields } = bodyOf(message)
  const cards = [...objectsOf(items), { actions }].flatMap((card) => [
    card.title,
    card.description,
    ...objectsOf(card.actions).map(({ text: label }) => label),
  ])
  const answers = objectsOf(fields).flatMap(({ label, text: answer, email, select }) => {
    const given = [answer, email, ...objectsOf(select).map((choice) => choice.label)].filter(isText)
    note(label, ...given)
    return given.length === 0 ? label : [label, ...given].filter(isText).join(' ')
  })
  note.each(cards)
  const lines = [text ?? (answers.length === 0 ? textFallback : undefined), ...cards, ...answers].filter(isText)
  return lines.length === 0 ? undefined : lines.join('\n')
}

const isText = (value: unknown) => (typeof value === 'string' && value !== '') || typeof value === 'number'
