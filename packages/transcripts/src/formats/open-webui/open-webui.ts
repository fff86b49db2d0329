import { defineFormat, type Note } from '../../contract/index.js'
import { isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'

/** The export of the chats of Open WebUI. Newer messages have the items of the answer beside the text that shows them. */
export const openWebui = defineFormat({
  id: 'open-webui',
  title: 'Open WebUI export',
  accepts:
    '{ "id", "title", "chat": { "history": { "currentId", "messages": { "<id>": { "parentId", "role", "content" } } } } }',
  signature: { 'chat.history.messages': 0.97 },
  conversation: {
    name: ['title', 'chat.title'],
    externalId: 'id',
    externalUserId: 'user_id',
    sourceTimestamp: ['created_at', 'chat.timestamp'],
    metadata: { tags: 'meta.tags' },
  },
  messages: ['chat.history.messages', 'chat.messages'],
  tree: { id: 'id', parent: 'parentId', last: ({ chat }) => currentIn(chat) },
  text: textIn,
  files: 'files',
  thinking: ({ output }) => itemsOf(output, 'reasoning').flatMap(({ content, summary }) => textsOf(content ?? summary)),
  time: 'timestamp',
  model: 'model',
  calls: {
    in: ({ output }) => itemsOf(output, 'function_call'),
    id: 'call_id',
    name: 'name',
    args: 'arguments',
  },
  results: {
    in: ({ output }) => itemsOf(output, 'function_call_output'),
    id: 'call_id',
    output: ({ output }, note) => {
      if (!Array.isArray(output)) return output
      note.each(textsOf(output))
      return textsOf(output).join('\n')
    },
  },
  structure: 'models currentId childrenIds parentId start_tag end_tag modelName userContext',
})

const currentIn = (chat: unknown) => (isObject(chat) && isObject(chat.history) ? chat.history.currentId : undefined)
const itemsOf = (output: unknown, type: string) => objectsOf(output).filter((item) => item.type === type)
const textsOf = (content: unknown) => objectsOf(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))

/** The text without the blocks that show thinking and calls, if the items have them. */
function textIn({ content, output }: JsonObject, note: Note): unknown {
  const messages = itemsOf(output, 'message')
  if (messages.length === 0) return content
  const texts = messages.flatMap((message) => textsOf(message.content)).filter((text) => text.trim() !== '')
  if (texts.length === 0) return content
  // A text that a person changed differs from the items.
  const rest = texts.reduce((text, each) => text.replace(each.trim(), ''), withoutDetails(textOf(content) ?? ''))
  if (rest.trim() === '') note.repeated(content, 'text that shows the items of an answer')
  return texts.join('\n')
}

/** A text without the blocks that show thinking and calls. */
function withoutDetails(text: string): string {
  const [before = '', ...blocks] = text.split('<details')
  const close = '</details>'
  const after = (block: string) => (block.includes(close) ? block.slice(block.indexOf(close) + close.length) : block)
  return before + blocks.map(after).join('')
}
