import { defineFormat, type Note } from '../../contract/index.js'
import { asObject, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { attachmentParts } from './message.js'

/** Chats of LiveChat, as its API gets one or lists archives. */
export const livechat = defineFormat({
  id: 'livechat',
  title: 'LiveChat chat',
  accepts:
    '{ "id", "users": [{ "id", "type": "customer" | "agent" }], "thread": { "events": [{ "type": "message", "text", "author_id" }] } }, or "chats" with such',
  signature: { 'users[].type=customer|agent thread.events[].type': 0.97, 'users[].type=customer|agent thread.id': 0.9 },
  conversations: 'chats',
  fields: 'chats users thread',
  skipsEmpty: true,
  conversation: {
    externalId: ({ id, thread }) => textsOf([id, asObject(thread).id]).join('/'),
    externalUserId: ({ users }) => objectsOf(users).find(({ type }) => type === 'customer')?.id,
    sourceTimestamp: 'thread.created_at',
    metadata: { tags: 'thread.tags' },
  },
  messages: 'thread.events',
  role: ({ type, author_id: author }, _, { users }) =>
    type === 'system_message' ? type : roleOf(author, objectsOf(users)),
  roles: { user: 'customer', human_agent: 'agent', assistant: 'bot', system: 'system_message', omitted: '*' },
  text: contentOf,
  files: (event) => (event.type === 'file' ? attachmentParts([event]) : []),
  time: 'created_at',
  note: ({ visibility, recipients }) => visibility === 'agents' || recipients === 'agents',
  metadata: { author: ({ author_id: author }, _, { users }) => objectsOf(users).find(({ id }) => id === author)?.name },
  structure: 'system_message_type custom_id visibility recipients author_id user_id thumbnail_url',
})

/** An agent is known by an address, and a bot by a key. */
function roleOf(author: unknown, users: readonly JsonObject[]): unknown {
  const { type } = users.find(({ id }) => id === author) ?? {}
  return type === 'agent' && typeof author === 'string' && !author.includes('@') ? 'bot' : type
}

/** The text of a message, of the cards of a bot, or of an answered form. */
function contentOf({ text, elements, fields }: JsonObject, note: Note): unknown {
  const answered = objectsOf(fields).map(({ label, answer, answers }) => [
    label,
    ...[answer, answers].flat().map(labelOf),
  ])
  const cards = objectsOf(elements).map(({ title, subtitle, buttons }) => [
    title,
    subtitle,
    ...objectsOf(buttons).map(labelOf),
  ])
  const lines = [...answered.map((line) => textsOf(line).join(' ')), ...cards.map((card) => textsOf(card).join('\n'))]
  if (lines.length === 0) return text
  note.each([...answered, ...cards].flat())
  return textsOf([text, ...lines]).join('\n')
}

/** A choice, or a button, is an object with its text. */
const labelOf = (value: unknown) => (isObject(value) ? (value.label ?? value.text) : value)

const textsOf = (values: readonly unknown[]) => values.map(textOf).filter((text) => text !== undefined)
