import { countOtherRole, defineFormat, type FoundConversation, shellScore, textOfHtml } from '../../contract/index.js'
import { type ConversationBuilder, idOf } from '../../conversation/index.js'
import { asList, asObject, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import {
  elementsOf,
  Losses,
  type Place,
  type Placed,
  type Role,
  reasons,
  startOfFile,
  within,
} from '../../model/index.js'
import { addHelpDeskMessage, attachmentParts } from './message.js'

/** Intercom conversations: the source is the first message, the parts are the others. */
export const intercom = defineFormat({
  id: 'intercom',
  title: 'Intercom conversation',
  accepts: '{ "id", "source": { "body", "author" }, "conversation_parts": { "conversation_parts": […] } }',
  signature(value) {
    const conversation = isObject(value) && Array.isArray(value.conversations) ? value.conversations[0] : value
    if (!isObject(conversation)) return 0
    if (partsOf(conversation, startOfFile)) return 0.97
    return isSource(conversation.source) ? 0.9 : isShell(conversation) ? shellScore : 0
  },
  fields: 'source conversations conversation_parts part_type contacts delivered_as',
  skipsEmpty: true,
  conversations: ({ conversations, ...value }, place) =>
    Array.isArray(conversations)
      ? elementsOf(conversations, within(place, 'conversations')).map((each) => found(asObject(each.value), each.place))
      : [found(value, place)],
  conversation: {
    name: ({ title, source }, note) => {
      const given = textOf(title) ?? textOf(asObject(source).subject)
      note(given)
      return given && textOfHtml(given, new Losses())
    },
    externalId: ({ id }) => idOf(id),
    externalUserId: ({ contacts, source }) => {
      const author = asObject(asObject(source).author)
      return (
        idOf(asObject(asList(asObject(contacts).contacts)[0]).id) ??
        (intercomRole(author) === 'user' ? author.id : undefined)
      )
    },
    sourceTimestamp: 'created_at',
    metadata: {
      state: 'state',
      rating: 'conversation_rating.rating',
      rating_remark: 'conversation_rating.remark',
      tags: ({ tags }) => objectsOf(asObject(tags).tags).map(({ name }) => name),
    },
  },
  addMessage: addPart,
  structure: 'delivered_as priority',
})

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
function partsOf({ conversation_parts: parts }: JsonObject, place: Place): readonly Placed[] | undefined {
  const at = within(place, 'conversation_parts')
  if (Array.isArray(parts)) return elementsOf(parts, at)
  const inner = asObject(parts).conversation_parts
  return Array.isArray(inner) ? elementsOf(inner, within(at, 'conversation_parts')) : undefined
}

/** A conversation with its messages; without them if it has none of their fields. */
function found(value: JsonObject, place: Place): FoundConversation {
  const parts = partsOf(value, place)
  const source = value.source ?? value.conversation_message
  if (!parts && !isObject(source) && !isShell(value)) return { value, place }
  const first = { value: { created_at: value.created_at, ...asObject(source) }, place: within(place, 'source') }
  const messages = (losses: Losses) => {
    countMissing(value, parts?.length, losses)
    return [...(isObject(source) ? [first] : []), ...(parts ?? []).filter((part) => isObject(part.value))]
  }
  return { value, place, messages }
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
  const role = intercomRole(author)
  if (role === 'system') countOtherRole(author.type, role, conversation.losses)
  addHelpDeskMessage(role, message, conversation)
}

function intercomRole({ type, from_ai_agent, is_ai_answer }: JsonObject): Role {
  if (from_ai_agent === true || is_ai_answer === true || type === 'bot') return 'assistant'
  if (type === 'admin' || type === 'team') return 'human_agent'
  return type === 'user' || type === 'lead' || type === 'contact' ? 'user' : 'system'
}
