import {
  branchesOf,
  eachRecord,
  type Format,
  isShell,
  pathOf,
  type ReaderContext,
  shellScore,
} from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import {
  asList,
  asObject,
  defined,
  describe,
  isObject,
  type JsonObject,
  objectsOf,
  textOf,
  wordSet,
} from '../../json/index.js'
import { addBlocks, textPart } from '../../messages/index.js'
import { type ConversationDraft, type Losses, type Place, reasons, within } from '../../model/index.js'

/** The fields of a conversation, by which one without messages is known. */
const conversationFields = wordSet(
  'uuid name summary model created_at updated_at current_leaf_message_uuid is_starred is_temporary project_uuid platform account project',
)

export const claudeAiExport: Format<'claude-ai-export'> = {
  id: 'claude-ai-export',
  title: 'claude.ai data export',
  accepts: '{ "uuid", "name", "chat_messages": [{ "uuid", "sender", "text", "content"? }] }, or an array of these',
  fields: ['chat_messages', 'sender', 'parent_message_uuid', 'extracted_content', 'account'],
  skipsEmpty: true,
  structure: 'file_kind platform',
  detect(value) {
    if (isShell(value, conversationFields, 'chat_messages')) return shellScore
    return isObject(value) && Array.isArray(value.chat_messages) ? 0.97 : 0
  },
  reader: (notes) => eachRecord(claudeAiExport, notes, readConversation),
}

interface Message {
  id: string
  value: JsonObject
  place: Place
}

function readConversation(value: JsonObject, place: Place, notes: ReaderContext): ConversationDraft[] | undefined {
  if (isShell(value, conversationFields, 'chat_messages')) return [new ConversationBuilder(notes).build({ place })]
  if (!Array.isArray(value.chat_messages)) return undefined
  const messages = messagesOf(value.chat_messages, within(place, 'chat_messages'), notes)
  // Without parents, the messages stand in the order of the conversation.
  const isTree = messages.some(({ value: message }) => textOf(message.parent_message_uuid) !== undefined)
  if (!isTree) return [draftOf(value, messages, place, notes)]
  const parents = new Map(messages.map(({ id, value: message }) => [id, textOf(message.parent_message_uuid)]))
  const current = textOf(value.current_leaf_message_uuid)
  const ids = messages.map(({ id }) => id)
  if (current !== undefined && parents.has(current)) ids.push(current)
  const { isKept, others } = branchesOf(ids, parents)
  const shown = messages.filter(({ id }) => isKept(id))
  const hidden = notes.options.branches ? [] : messages.filter(({ id }) => !isKept(id))
  const main = draftOf(value, shown, place, notes, hidden)
  if (!notes.options.branches) return [main]
  return [main, ...others.map((leaf) => branch(value, leaf, pathOf(leaf, parents)))]

  function branch(conversation: JsonObject, leaf: string, path: ReadonlySet<string>): ConversationDraft {
    const branchMessages = messages.filter(({ id }) => path.has(id))
    const draft = draftOf(conversation, branchMessages, place, notes)
    const session = textOf(conversation.uuid)
    return {
      ...draft,
      externalId: session === undefined ? leaf : `${session}/${leaf}`,
      metadata: defined<JsonObject>({ ...draft.metadata, parent_session: session, branch: true }),
    }
  }
}

function messagesOf(values: readonly unknown[], list: Place, notes: ReaderContext): Message[] {
  return values.flatMap((value, index) => {
    const place = within(list, index)
    if (isObject(value) && (value.sender === 'human' || value.sender === 'assistant')) {
      return [{ id: textOf(value.uuid) ?? `#${index}`, value, place }]
    }
    const found = isObject(value) ? `one of ${describe(value.sender)}` : describe(value)
    notes.report(`expected a message of the sender human or assistant; found ${found}`, place)
    return []
  })
}

function draftOf(
  conversation: JsonObject,
  messages: readonly Message[],
  place: Place,
  notes: ReaderContext,
  hidden: readonly Message[] = [],
): ConversationDraft {
  const builder = new ConversationBuilder(notes)
  for (const each of hidden) builder.losses.dropValue(each.value, 'message of another branch', reasons.branches)
  for (const { value, place: own } of messages) addMessage(value, own, builder)
  const { account, project } = conversation
  return builder.build({
    name: textOf(conversation.name),
    modelName: textOf(conversation.model),
    externalId: textOf(conversation.uuid),
    externalUserId: textOf(asObject(account).uuid),
    sourceTimestamp: builder.time(conversation.created_at),
    metadata: defined<JsonObject>({
      summary: textOf(conversation.summary),
      project: textOf(asObject(project).name),
    }),
    place,
  })
}

function addMessage(message: JsonObject, place: Place, conversation: ConversationBuilder): void {
  const { content, text, created_at: at } = message
  const role = message.sender === 'human' ? 'user' : 'assistant'
  // The text repeats the content. Older exports have only the text.
  const hasBlocks = objectsOf(content).some((block) => block.type !== 'text' || textOf(block.text) !== undefined)
  const blocks = hasBlocks ? asList(content) : textPart(text)
  if (hasBlocks && typeof text === 'string') {
    const texts = blocks.map((block) => asObject(block).text)
    conversation.losses.note(text)
    conversation.losses.addRest('text', text.replaceAll(unsupported, ''), texts, 'message ')
  }
  addBlocks(role, [...blocks, ...attachmentsOf(message, conversation.losses)], { place, at }, conversation)
}

/** The text that stands in place of tool calls and results. */
const unsupported = '```\nThis block is not supported on your current device yet.\n```'

function attachmentsOf({ attachments, files, files_v2: more }: JsonObject, losses: Losses): unknown[] {
  const parts: unknown[] = []
  const named = new Set<unknown>()
  for (const file of [attachments, files, more].flatMap((list) => asList(list))) {
    if (!isObject(file)) {
      losses.dropValue(file, 'attachment that is not an object', reasons.unreadable)
      continue
    }
    const id = file.file_uuid ?? file.uuid ?? file.id
    const name = textOf(file.file_name)
    losses.note([name, file.extracted_content])
    if (id !== undefined && named.has(id)) continue
    named.add(id)
    const extracted = textOf(file.extracted_content)
    if (extracted !== undefined) parts.push({ type: 'text', text: `[file: ${name ?? 'pasted text'}]\n${extracted}` })
    else parts.push({ type: file.file_kind === 'image' ? 'image' : 'file', ...(name && { file_name: name }) })
  }
  return parts
}
