import { attachmentParts, wordsOfHtml } from '../help-desk-content.js'
import { isObject, type JsonObject, textOf } from '../json.js'
import type { About, Talk } from '../talk.js'
import type { Place, Role } from '../turn.js'

const chatRoles = new Map<string, Role>([
  ['visitor', 'user'],
  ['agent', 'human_agent'],
  ['answerbot', 'assistant'],
  ['answer bot', 'assistant'],
  ['answer_bot', 'assistant'],
  ['bot', 'assistant'],
  ['trigger', 'assistant'],
  ['system', 'system'],
])

/** Says an entry of the history of a Zendesk chat; comings and goings have no words. */
export function sayChatEntry(entry: JsonObject, place: Place, talk: Talk): void {
  const { type } = entry
  const [nick] = typeof entry.nick === 'string' ? entry.nick.split(':') : []
  const sender = typeof entry.sender_type === 'string' ? entry.sender_type : nick
  const spelled = (sender ?? '').toLowerCase()
  const role = chatRoles.get(spelled) ?? 'system'
  const name = entry.name ?? entry.display_name
  const metadata = {
    ...(typeof name === 'string' && name !== '' && { author: name }),
    ...(spelled === 'trigger' && { kind: 'trigger' }),
  }
  const about: About = { place, at: entry.timestamp, metadata }
  if (type === 'chat.msg' || (type === undefined && entry.msg !== undefined)) talk.say(role, entry.msg, about)
  else if (type === 'chat.file' || type === 'chat.attachment') talk.say(role, fileOf(entry), about)
  else if (type === 'chat.comment' && typeof entry.new_comment === 'string') {
    talk.say('user', entry.new_comment, { ...about, metadata: { ...metadata, kind: 'comment on the chat' } })
  } else if (type === 'chat.rating' && entry.new_rating !== undefined) talk.note({ rating: entry.new_rating })
}

function fileOf(entry: JsonObject): unknown {
  const files = attachmentParts(Array.isArray(entry.attachment) ? entry.attachment : [entry.attachment ?? entry])
  return typeof entry.msg === 'string' && entry.msg !== '' ? [entry.msg, ...files] : files
}

/** Says a comment of a ticket; what is not public is a note. */
export function sayComment(comment: JsonObject, role: Role, place: Place, talk: Talk): void {
  const words = commentWords(comment, talk)
  const files = attachmentParts(comment.attachments)
  const isNote = comment.public === false
  talk.say(role, files.length === 0 ? words : [words, ...files].filter((piece) => piece !== ''), {
    place,
    at: comment.created_at,
    visible: isNote ? false : undefined,
    metadata: isNote ? { kind: 'note' } : {},
  })
}

function commentWords({ plain_body: plain, body, html_body: html, text }: JsonObject, talk: Talk): string {
  if (textOf(plain) ?? textOf(body)) talk.losses.addRest('text', text, [plain, body], 'comment ')
  for (const words of [plain, body, text])
    if (typeof words === 'string' && words !== '') return words.replaceAll('&nbsp;', ' ')
  return typeof html === 'string' ? wordsOfHtml(html, talk.losses) : ''
}

const eventRoles = new Map<unknown, Role>([
  ['user', 'user'],
  ['end-user', 'user'],
  ['agent', 'human_agent'],
  ['admin', 'human_agent'],
  ['bot', 'assistant'],
  ['business', 'human_agent'],
])

/** Says an event of a conversation log; events without words, such as changes of fields, are no turns. */
export function sayLogEvent(event: JsonObject, place: Place, talk: Talk): void {
  const author = isObject(event.author) ? event.author : {}
  const content = isObject(event.content) ? event.content : {}
  const own = event.attachments ?? content.attachments
  const files = attachmentParts(
    content.media_url === undefined && content.mediaUrl === undefined ? own : [mediaOf(content)],
  )
  const words = eventWords(content, talk)
  if (words === '' && files.length === 0) return
  const metadata = isObject(event.metadata) ? event.metadata : {}
  const isNote = [event, content, metadata].some((fields) => fields.public === false || fields.is_public === false)
  const name = author.display_name ?? author.name
  talk.say(
    eventRoles.get(author.type) ?? 'system',
    files.length === 0 ? words : [words, ...files].filter((piece) => piece !== ''),
    {
      place,
      at: event.created_at,
      visible: isNote ? false : undefined,
      metadata: { ...(typeof name === 'string' && name !== '' && { author: name }), ...(isNote && { kind: 'note' }) },
    },
  )
}

function mediaOf(content: JsonObject): JsonObject {
  return {
    url: content.media_url ?? content.mediaUrl,
    content_type: content.media_type ?? content.mediaType,
    name: content.alt_text,
  }
}

function eventWords(content: JsonObject, talk: Talk): string {
  const { text, body, html_body: html, type } = content
  if (type === 'html' && typeof body === 'string') return wordsOfHtml(body, talk.losses)
  for (const words of [text, body]) if (typeof words === 'string' && words !== '') return words
  return typeof html === 'string' ? wordsOfHtml(html, talk.losses) : ''
}
