import { defineFormat, type Note, roleByFlag } from '../../contract/index.js'
import { isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'

/** The export of LibreChat: a list of messages, or trees of them. */
export const librechat = defineFormat({
  id: 'librechat',
  title: 'LibreChat export',
  accepts:
    '{ "conversationId", "title", "messages": [{ "messageId", "parentMessageId", "isCreatedByUser", "text", "children"? }] }',
  signature: {
    'messages[].messageId messages[].parentMessageId': 0.96,
    'messages[].messageId messages[].sender messages[].text': 0.96,
  },
  conversation: {
    name: 'title',
    externalId: 'conversationId',
    modelName: 'options.model',
    metadata: { endpoint: 'endpoint' },
  },
  system: 'options.promptPrefix',
  messages: 'messages',
  tree: { id: 'messageId', parent: 'parentMessageId', children: 'children' },
  role: ({ isCreatedByUser, sender }) =>
    roleByFlag(isCreatedByUser ?? (sender === undefined ? undefined : sender === 'User'), 'user', 'assistant'),
  roles: { user: 'user', assistant: 'assistant' },
  text: textIn,
  files: 'files',
  thinking: ({ content }) => objectsOf(content).map(({ think }) => think),
  time: 'createdAt',
  model: 'model',
  calls: {
    in: ({ content }) => objectsOf(content).flatMap(({ tool_call: call }) => (isObject(call) ? [call] : [])),
    id: 'id',
    name: ['name', 'function.name'],
    args: ['args', 'function.arguments'],
    output: ['output', 'function.output'],
  },
  lost: ['exportAt'],
  structure: 'sender conversationId endpoint chatGptLabel presetId',
})

/** The text, or the parts of an agent's answer. */
function textIn({ text, content }: JsonObject, note: Note): unknown {
  const parts = objectsOf(content).flatMap((part) => {
    const own = textOf(isObject(part.text) ? part.text.value : part.text)
    return own === undefined ? [] : [own]
  })
  if (parts.length === 0) return text
  note.each(parts)
  return parts.join('\n')
}
