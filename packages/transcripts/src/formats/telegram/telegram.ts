import { defineFormat, type Note } from '../../contract/index.js'
import { isObject, type JsonObject, textOf } from '../../json/index.js'

/** The JSON of Telegram Desktop: one chat, or an account with all of them. */
export const telegram = defineFormat({
  id: 'telegram',
  title: 'Telegram export',
  accepts:
    '{ "name", "messages": [{ "type": "message", "date", "from", "text" }] }, or { "chats": { "list" } } of these',
  signature: {
    'messages[].date_unixtime messages[].type=message|service': 0.95,
    'messages[].from_id messages[].date': 0.9,
  },
  empty: 'type=personal_chat|bot_chat|saved_messages|private_group|private_supergroup|public_supergroup id',
  conversations: 'chats.list',
  conversation: { name: 'name', externalId: 'id', metadata: { type: 'type' } },
  messages: 'messages',
  role: 'type',
  roles: { omitted: 'service unsupported' },
  speaker: 'from',
  text: textIn,
  files: filesIn,
  time: ['date_unixtime', 'date'],
  metadata: { forwarded_from: 'forwarded_from' },
  structure:
    'action from_id date edited date_unixtime edited_unixtime text_entities media_type mime_type photo file thumbnail',
})

function filesIn({ photo, file, file_name: name, mime_type: type }: JsonObject): JsonObject[] {
  if (textOf(photo)) return [{ type: 'image', file_name: textOf(photo) }]
  return textOf(file) ? [{ type: type ?? 'file', file_name: name ?? file }] : []
}

/** A text, or its pieces with different formatting. */
function textIn({ text }: JsonObject, note: Note): unknown {
  if (!Array.isArray(text)) return text
  const pieces = text
    .map((piece) => (isObject(piece) ? piece.text : piece))
    .filter((piece) => typeof piece === 'string')
  note.each(pieces)
  return pieces.join('')
}
