import { defineFormat, type Format, type FormatDeclaration, type Note } from '../../contract/index.js'
import { isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import type { ConversationDraft } from '../../model/index.js'

/**
 * The messages of a channel on a day, as the export of a workspace has them. A thread is a conversation, and all messages outside of
 * threads are another one.
 */
export const slack = byThread({
  id: 'slack',
  title: 'Slack export',
  accepts: '[{ "type": "message", "user", "text", "ts", "thread_ts" }]',
  signature: {
    'type=message ts=1* user': 0.95,
    'type=message ts=1* bot_id': 0.95,
    'type=message ts=1* text': 0.9,
    'type=message ts=1* subtype': 0.9,
  },
  conversation: { externalId: threadOf },
  order: 'ts',
  role: slackRole,
  roles: { assistant: 'bot', omitted: 'event' },
  speaker: ['user_profile.real_name', 'user_profile.display_name', 'bot_profile.name', 'username', 'user', 'bot_id'],
  text: textIn,
  files: ({ files }) =>
    objectsOf(files).map(({ name, title, mimetype, url_private: url }) => ({
      type: mimetype ?? 'file',
      file_name: name ?? title,
      url,
    })),
  time: 'ts',
  metadata: { user_id: 'user' },
  structure: `subtype team source_team user_team client_msg_id parent_user_id latest_reply thread_ts bot_id app_id user_profile bot_profile
    icons filetype pretty_type mode permalink reply_users inviter`,
})

function byThread(declaration: FormatDeclaration<'slack'>): Format<'slack'> {
  const ofDays = defineFormat(declaration)
  return {
    ...ofDays,
    reader(context) {
      const inner = ofDays.reader(context)
      return {
        ...inner,
        read: (record) => inner.read(record).map(withoutDay),
        *end() {
          for (const draft of inner.end()) yield withoutDay(draft)
        },
      }
    },
  }
}

/** The thread of a message, or its day, which is no id: each channel has it. */
function threadOf({ thread_ts: thread, ts }: JsonObject): string | undefined {
  const seconds = typeof ts === 'string' ? Number(ts) : 0
  const isTime = seconds > 0 && seconds < 1e11
  return textOf(thread) ?? (isTime ? new Date(seconds * 1000).toISOString().slice(0, 10) : undefined)
}

function withoutDay({ externalId, ...draft }: ConversationDraft): ConversationDraft {
  return externalId === undefined || /^\d{4}-\d\d-\d\d$/.test(externalId) ? draft : { ...draft, externalId }
}

const said: ReadonlySet<unknown> = new Set([
  undefined,
  'thread_broadcast',
  'file_share',
  'me_message',
  'reply_broadcast',
])

function slackRole({ subtype, bot_id: bot }: JsonObject): string | undefined {
  if (subtype === 'bot_message' || (said.has(subtype) && textOf(bot) !== undefined)) return 'bot'
  return said.has(subtype) ? undefined : 'event'
}

/**
 * The text, in which Slack escapes three characters, with those of the attachments of a program. The blocks of a message
 * repeat its text in pieces, or stand in place of it.
 */
function textIn({ text = '', blocks, attachments }: JsonObject, note: Note): unknown {
  if (typeof text !== 'string') return text
  const pieces = piecesOf(blocks)
  const raw = text.trim() === '' ? pieces.join('\n') : text
  const plain = [raw, ...attached(attachments)].filter((each) => each.trim() !== '').map(unescaped)
  note(text, ...attached(attachments))
  for (const piece of pieces) if (plain.some((each) => each.includes(unescaped(piece).trim()))) note(piece)
  return plain.join('\n')
}

const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** The texts of attachments. One with an address is what Slack shows of a link. */
function attached(attachments: unknown): string[] {
  return objectsOf(attachments).flatMap(({ from_url: url, pretext, title, text, fields, fallback }) => {
    if (url !== undefined) return []
    const pairs = objectsOf(fields).flatMap(({ title, value }) => [title, value])
    const shown = [pretext, title, text, ...pairs].flatMap((each) => textOf(each) ?? [])
    // Slack shows the fallback where nothing else can be shown.
    return shown.length > 0 ? shown : (textOf(fallback) ?? [])
  })
}

function piecesOf(value: unknown, depth = 0): string[] {
  if (depth > 12) return []
  if (Array.isArray(value)) return value.flatMap((each) => piecesOf(each, depth + 1))
  if (!isObject(value)) return []
  const own = typeof value.text === 'string' ? [value.text] : piecesOf(value.text, depth + 1)
  return [...own, ...piecesOf(value.elements, depth + 1)]
}
