import { eachRecord, type Format, type ReaderContext, shellScore, textOfHtml } from '../../contract/index.js'
import { ConversationBuilder, idOf } from '../../conversation/index.js'
import { asList, asObject, defined, describe, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import {
  type ConversationDraft,
  elementsOf,
  type Losses,
  type Place,
  type Placed,
  type Role,
  reasons,
  startOfFile,
  within,
} from '../../model/index.js'
import { addHelpDeskMessage, attachmentParts } from './message.js'

/** Intercom conversations: the source is the first message, the parts are the others. */
export const intercom: Format<'intercom'> = {
  id: 'intercom',
  title: 'Intercom conversation',
  accepts: '{ "id", "source": { "body", "author" }, "conversation_parts": { "conversation_parts": […] } }',
  fields: ['source', 'conversations', 'conversation_parts', 'part_type', 'contacts', 'delivered_as'],
  skipsEmpty: true,
  structure: 'delivered_as priority',
  detect(value) {
    const conversation = conversationIn(value)
    if (!conversation) return 0
    return partsOf(conversation, startOfFile)
      ? 0.97
      : isSource(conversation.source)
        ? 0.9
        : isShell(conversation)
          ? shellScore
          : 0
  },
  reader: (context) =>
    eachRecord(intercom, context, (value, place) =>
      Array.isArray(value.conversations)
        ? elementsOf(value.conversations, within(place, 'conversations')).flatMap((each) =>
            readConversation(each.value, each.place, context),
          )
        : readConversation(value, place, context),
    ),
}

function conversationIn(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined
  const first: unknown = Array.isArray(value.conversations) ? value.conversations[0] : value
  return isObject(first) ? first : undefined
}

/** A conversation as a list shows it, without messages. */
function isShell({ type, source, conversation_message: message, conversation_parts: parts }: JsonObject): boolean {
  return type === 'conversation' && [source, message, parts].every((each) => (each ?? null) === null)
}

function isSource(source: unknown): boolean {
  return (
    isObject(source) && 'body' in source && isObject(source.author) && ('delivered_as' in source || 'subject' in source)
  )
}

/** The parts, which may stand in an inner field of the same name. */
function partsOf({ conversation_parts: parts }: JsonObject, place: Place): Placed[] | undefined {
  const at = within(place, 'conversation_parts')
  if (Array.isArray(parts)) return elementsOf(parts, at)
  const inner = asObject(parts).conversation_parts
  return Array.isArray(inner) ? elementsOf(inner, within(at, 'conversation_parts')) : undefined
}

function readConversation(value: unknown, place: Place, context: ReaderContext): ConversationDraft[] {
  const parts = isObject(value) ? partsOf(value, place) : undefined
  const source = isObject(value) ? (value.source ?? value.conversation_message) : undefined
  if (!isObject(value) || (!parts && !isObject(source) && !isShell(value))) {
    context.report(`expected ${intercom.accepts}; found ${describe(value)}`, place)
    return []
  }
  const conversation = new ConversationBuilder(context)
  if (isObject(source)) addPart({ created_at: value.created_at, ...source }, within(place, 'source'), conversation)
  for (const part of parts ?? []) if (isObject(part.value)) addPart(part.value, part.place, conversation)
  countMissing(value, parts?.length, conversation.losses)
  return [
    conversation.build({
      name: titleOf(value, asObject(source), conversation),
      externalId: idOf(value.id),
      externalUserId: userOf(value, asObject(source)),
      sourceTimestamp: conversation.time(value.created_at),
      metadata: factsOf(value),
      place,
    }),
  ]
}

/** A list of conversations has no parts, and a conversation has at most 500. */
function countMissing({ conversation_parts: parts }: JsonObject, length: number | undefined, losses: Losses): void {
  const total = asObject(parts).total_count
  if (length === undefined) {
    losses.drop('replies', 'the file contains only the first message; export each conversation alone')
  } else if (typeof total === 'number' && total > length) {
    losses.drop('message beyond the export limit', 'Intercom exports at most 500 parts', total - length)
  }
}

function addPart(part: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const author = asObject(part.author)
  const files = attachmentParts(part.attachments)
  const text = textOfHtml(part.body, conversation.losses)
  if (part.redacted === true) conversation.losses.drop('redacted message', reasons.notInFile)
  // Assignments and tags have no text.
  if (text === '' && files.length === 0) return
  const isNote = typeof part.part_type === 'string' && part.part_type.startsWith('note')
  const message = { text, files, author: author.name, isNote, place, at: part.created_at }
  addHelpDeskMessage(intercomRole(author), message, conversation)
}

function intercomRole({ type, from_ai_agent, is_ai_answer }: JsonObject): Role {
  if (from_ai_agent === true || is_ai_answer === true || type === 'bot') return 'assistant'
  if (type === 'admin' || type === 'team') return 'human_agent'
  return type === 'user' || type === 'lead' || type === 'contact' ? 'user' : 'system'
}

function titleOf({ title }: JsonObject, { subject }: JsonObject, { losses }: ConversationBuilder): string | undefined {
  losses.addOthers({ title, subject }, ['title', 'subject'])
  const found = textOf(title) ?? textOf(subject)
  return found === undefined ? undefined : textOfHtml(found, losses)
}

function userOf(value: JsonObject, source: JsonObject): string | undefined {
  const [contact] = asList(asObject(value.contacts).contacts)
  const author = asObject(source.author)
  return idOf(asObject(contact).id) ?? (intercomRole(author) === 'user' ? idOf(author.id) : undefined)
}

function factsOf({ state, conversation_rating: rating, tags }: JsonObject): JsonObject {
  const { rating: stars, remark } = asObject(rating)
  const names = objectsOf(asObject(tags).tags).flatMap(({ name }) => textOf(name) ?? [])
  return defined<JsonObject>({
    state: textOf(state),
    rating: typeof stars === 'number' ? stars : undefined,
    rating_remark: textOf(remark)?.slice(0, 1000),
    tags: names.length > 0 ? names.slice(0, 50) : undefined,
  })
}
