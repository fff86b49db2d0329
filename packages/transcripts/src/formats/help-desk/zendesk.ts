import {
  countOtherRole,
  countUnknownRole,
  defineFormat,
  type Piece,
  textOfHtml,
  textOrHtml,
} from '../../contract/index.js'
import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import {
  asObject,
  defined,
  describe,
  isObject,
  type JsonObject,
  objectsOf,
  sampleOf,
  textOf,
  wordMap,
} from '../../json/index.js'
import { elementsOf, type Losses, type Place, type Placed, type Role, within } from '../../model/index.js'
import { addHelpDeskMessage, attachmentParts } from './message.js'

export const zendesk = defineFormat({
  id: 'zendesk',
  title: 'Zendesk chat, ticket or conversation log',
  accepts: '{ "history": […] }, rows with a chat_id, { "comments": […] } or { "events": […] }',
  fields: ['chat_id', 'sender_type', 'history', 'comments', 'author_id', 'events', 'plain_body'],
  skipsEmpty: true,
  structure: 'nick priority channel',
  signature(value) {
    if (Array.isArray(value)) return value.length > 0 && sampleOf(value).every(isChatRow) ? 0.95 : 0
    if (!isObject(value)) return 0
    return isChatRow(value) ? 0.95 : kindIn(value) === undefined ? 0 : 0.95
  },
  rows: { id: (row) => (isChatRow(row) ? row.chat_id : undefined) },
  conversations: (file, place) => {
    const kind = kindIn(file)
    const ticket = isObject(file.ticket) ? file.ticket : file
    return kind && [{ value: { kind, file, ticket }, messages: elementsOf(file[kind], within(place, kind)) }]
  },
  addMessages,
  conversation: {
    name: ['ticket.subject', 'ticket.raw_subject'],
    externalId: ['ticket.id', 'file.ticket_id'],
    externalUserId: ['file.visitor.id', 'ticket.requester_id'],
    sourceTimestamp: ({ kind, file, ticket }) =>
      asObject(ticket).created_at ?? (kind === 'history' ? asObject(file).timestamp : undefined),
    metadata: { status: 'ticket.status', priority: 'ticket.priority', rating: 'ticket.rating', tags: 'ticket.tags' },
  },
})

function isChatRow(row: unknown): row is JsonObject {
  if (!isObject(row) || (typeof row.chat_id !== 'string' && typeof row.chat_id !== 'number')) return false
  return 'sender_type' in row || (typeof row.type === 'string' && row.type.startsWith('chat.'))
}

type Kind = 'history' | 'comments' | 'events'

function kindIn(value: JsonObject): Kind | undefined {
  if (some(value.history, (entry) => 'msg' in entry || /^chat\./.test(textOf(entry.type) ?? ''))) return 'history'
  if (some(value.comments, (comment) => 'author_id' in comment && ('body' in comment || 'html_body' in comment)))
    return 'comments'
  if (some(value.events, (event) => isObject(event.author) && isObject(event.content) && 'type' in event))
    return 'events'
  return undefined
}

function some(list: unknown, is: (item: JsonObject) => boolean): boolean {
  return objectsOf(sampleOf(list)).some(is)
}

function addMessages(messages: readonly Placed[], conversation: ConversationBuilder, { value }: Piece): void {
  const { kind } = value
  const ticket = asObject(value.ticket)
  const roleOf =
    kind === 'comments' ? rolesOf(asObject(value.file), ticket, messages[0]?.value, conversation.losses) : undefined
  for (const { value: item, place } of messages) {
    if (!isObject(item)) conversation.report(`expected a message; found ${describe(item)}`, place)
    else if (roleOf) addComment(item, roleOf(item.author_id), place, conversation)
    else if (kind === 'events') addLogEvent(item, place, conversation)
    else if (kind === 'history' || isChatRow(item)) addChatEntry(item, place, conversation)
    else conversation.report(`expected ${zendesk.accepts}; found ${describe(item)}`, place)
  }
}

/** The role of an author: from the users of the file, else by the requester; else the first author is the customer. */
function rolesOf(value: JsonObject, ticket: JsonObject, first: unknown, losses: Losses) {
  const users = [value.users, ticket.users].flatMap((list) => objectsOf(list))
  const known = new Map<unknown, Role>(users.map(({ id, role }) => [id, role === 'end-user' ? 'user' : 'human_agent']))
  const asked: unknown = ticket.requester_id ?? (isObject(ticket.requester) ? ticket.requester.id : undefined)
  let customer = asked
  if (asked === undefined && known.size === 0 && isObject(first)) {
    customer = first.author_id
    losses.add(
      'invented',
      'roles of authors',
      'the file does not name the agents; the first author counts as the customer',
    )
  }
  return (author: unknown): Role => {
    if (author === -1) return 'system'
    if ((author ?? undefined) === undefined) countUnknownRole('human_agent', losses)
    const role = known.get(author) ?? (author === customer ? 'user' : undefined)
    if (role !== undefined || known.size === 0) return role ?? 'human_agent'
    const why = 'the file does not list this author, who counts as an agent'
    losses.add('invented', 'role of an author', why)
    return 'human_agent'
  }
}

const chatRoles = wordMap({ user: 'visitor', human_agent: 'agent', assistant: 'answerbot answer_bot bot trigger' })

function addChatEntry(entry: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { type } = entry
  const [nick] = typeof entry.nick === 'string' ? entry.nick.split(':') : []
  const sender = typeof entry.sender_type === 'string' ? entry.sender_type : nick
  const spelled = (sender ?? '').toLowerCase().replace(' ', '_')
  const role = chatRoles.get(spelled) ?? 'system'
  const author = textOf(entry.name ?? entry.display_name)
  const metadata = defined<JsonObject>({ author, kind: spelled === 'trigger' ? 'trigger' : undefined })
  const context: MessageContext = { place, at: entry.timestamp, metadata }
  if (type === 'chat.msg' || (type === undefined && entry.msg !== undefined))
    conversation.addMessage(role, entry.msg, context)
  else if (type === 'chat.file' || type === 'chat.attachment') conversation.addMessage(role, fileOf(entry), context)
  else if (type === 'chat.comment' && typeof entry.new_comment === 'string') {
    const kind = 'comment on the chat'
    conversation.addMessage('user', entry.new_comment, { ...context, metadata: { ...metadata, kind } })
  } else if (type === 'chat.rating' && entry.new_rating !== undefined)
    conversation.addMetadata({ rating: entry.new_rating })
}

function fileOf(entry: JsonObject): unknown {
  const files = attachmentParts(Array.isArray(entry.attachment) ? entry.attachment : [entry.attachment ?? entry])
  return textOf(entry.msg) === undefined ? files : [entry.msg, ...files]
}

/** Add a ticket comment; a comment that is not public is a note. */
function addComment(comment: JsonObject, role: Role, place: Place, conversation: ConversationBuilder): void {
  const text = commentText(comment, conversation.losses)
  const files = attachmentParts(comment.attachments)
  const isNote = comment.public === false
  addHelpDeskMessage(role, { text, files, isNote, place, at: comment.created_at }, conversation)
}

function commentText({ plain_body: plain, body, html_body: html, text }: JsonObject, losses: Losses): string {
  if (textOf(plain) ?? textOf(body)) losses.addRest('text', text, [plain, body], 'comment ')
  const plainText = textOf(plain) ?? textOf(body) ?? textOf(text)
  return textOf(textOrHtml(plainText?.replaceAll('&nbsp;', ' '), html, losses)) ?? ''
}

const eventRoles = wordMap({ user: 'user end-user', human_agent: 'agent admin business', assistant: 'bot' })

/** Add a log event; events without text are not turns. */
function addLogEvent(event: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { type, display_name, name } = asObject(event.author)
  const content = asObject(event.content)
  const hasMedia = content.media_url !== undefined || content.mediaUrl !== undefined
  const files = attachmentParts(hasMedia ? [mediaOf(content)] : (event.attachments ?? content.attachments))
  const text = eventText(content, conversation.losses)
  if (text === '' && files.length === 0) return
  const holders = [event, content, asObject(event.metadata)]
  const isNote = holders.some((fields) => fields.public === false || fields.is_public === false)
  const message = { text, files, author: display_name ?? name, isNote, place, at: event.created_at }
  const role = eventRoles.get(type) ?? 'system'
  if (role === 'system') countOtherRole(type, role, conversation.losses)
  addHelpDeskMessage(role, message, conversation)
}

function mediaOf(content: JsonObject): JsonObject {
  return {
    url: content.media_url ?? content.mediaUrl,
    content_type: content.media_type ?? content.mediaType,
    name: content.alt_text,
  }
}

function eventText({ text, body, html_body: html, type }: JsonObject, losses: Losses): string {
  if (type === 'html' && typeof body === 'string') return textOfHtml(body, losses)
  return textOf(text) ?? textOf(body) ?? textOfHtml(html, losses)
}
