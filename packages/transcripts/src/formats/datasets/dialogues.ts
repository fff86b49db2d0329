import { aliasedRole, type Format, type MessageList, type ReaderContext, readerOfLists } from '../../contract/index.js'
import { ConversationBuilder, idOf, shortFields } from '../../conversation/index.js'
import {
  asObject,
  describe,
  hasAny,
  isObject,
  type JsonObject,
  sampleOf,
  textOf,
  textsAt,
  wordsOf,
} from '../../json/index.js'
import { type ConversationDraft, type Place, roles } from '../../model/index.js'
import { type ColumnField, type ColumnMap, columnsOfObject, usualNamesOf } from '../../records/index.js'

const listFields = wordsOf('original utterances dialogue dialog turns messages conversation transcript chat log')

export const dialogues: Format<'dialogues'> = {
  id: 'dialogues',
  isGeneric: true,
  title: 'Dialogues of speakers',
  accepts: '{ "utterances": [{ "speaker", "text" }] }, { "original": [["agent", "text"]] }, or such messages alone',
  fields: [...listFields, ...usualNamesOf('role'), ...usualNamesOf('content')],
  detect(value) {
    if (Array.isArray(value)) return scoreOfDialogue(value)
    if (!isObject(value)) return 0
    const list = listIn(value)
    if (list === undefined) return scoreOfMessage(value)
    const score = scoreOfDialogue(value[list])
    if (score === 0) return 0
    return list === 'original' || list === 'utterances' ? 0.95 : Math.max(score, 0.5)
  },
  reader(notes) {
    const reader = new UtteranceReader(notes)
    return readerOfLists(dialogues, notes, { listIn, idIn: conversationIdOf }, (list) => readDialogue(list, reader))
  },
}

const ofLists = new Set(listFields)

function listIn(value: JsonObject): string | undefined {
  if (!hasAny(value, ofLists)) return undefined
  return listFields.find((name) => Array.isArray(value[name]))
}

function readDialogue({ head, messages, place }: MessageList, reader: UtteranceReader): ConversationDraft {
  const conversation = new ConversationBuilder(reader.notes)
  for (const message of messages) reader.add(message.value, message.place, conversation)
  // The topic of an ABCD conversation. The rest of its scenario describes a fictional customer.
  const flow = textsAt(asObject(head.scenario), ['flow', 'subflow'])
  const { [listIn(head) ?? '']: _, ...own } = { ...head, ...flow }
  const columns = columnsOfObject(own)
  const field = (name: ColumnField) => own[columns.get(name) ?? '']
  const mapped = new Set(headFields.map((name) => columns.get(name)))
  const isRead = (key: string) => mapped.has(key) || knownFields.has(key)
  const metadata = shortFields(own, isRead, conversation.losses)
  conversation.losses.note(head.delexed)
  return conversation.build({
    name: textOf(field('name')),
    modelName: textOf(field('model')),
    language: textOf(head.language) ?? textOf(head.lang),
    externalId: idOf(head.convo_id ?? field('id')),
    externalUserId: idOf(field('user')),
    sourceTimestamp: conversation.time(field('time')),
    metadata,
    place,
  })
}

const headFields: readonly ColumnField[] = ['id', 'name', 'user', 'model', 'time']

/** `delexed` repeats the texts of ABCD. */
const knownFields = new Set(['convo_id', 'delexed', 'language', 'lang'])

/** The score of an utterance: `{ speaker, text }` or `["agent", "text"]`. */
function scoreOfMessage(message: unknown): number {
  const utterance = isOfChat(message) ? undefined : utteranceIn(message, columnsOfObject(message))
  if (!utterance || aliasedRole(utterance.speaker) === undefined || typeof utterance.content !== 'string') return 0
  // Other formats have messages with a role and a content, but not with a role such as `customer`.
  if (isObject(message) && 'role' in message && 'content' in message)
    return chatRoles.has(utterance.speaker) ? 0.4 : 0.85
  return 0.8
}

const chatRoles: ReadonlySet<unknown> = new Set([...roles, 'developer', 'function'])

/** If all are utterances, the best one decides. */
function scoreOfDialogue(list: unknown): number {
  if (!Array.isArray(list) || list.length === 0) return 0
  const sample = sampleOf(list)
  if (sample.some(isOfChat)) return 0
  let known = 0
  let sum = 0
  let surest = 0
  for (const message of sample) {
    const score = isAction(message) ? 0.8 : scoreOfMessage(message)
    if (score > 0) known++
    sum += score
    surest = Math.max(surest, score)
  }
  if (known * 2 <= sample.length) return 0
  return known === sample.length ? surest : sum / sample.length
}

/** True for a chat-completions or AI SDK message with tool calls or results, which no dialogue has. */
function isOfChat(message: unknown): boolean {
  if (!isObject(message)) return false
  if (Array.isArray(message.tool_calls) || Array.isArray(message.toolInvocations)) return true
  return isObject(message.function_call) || 'tool_call_id' in message
}

/** The conversation id of a single message. A plain `id` is that of the message. */
function conversationIdOf(message: unknown): string | undefined {
  if (!isObject(message) || scoreOfMessage(message) === 0) return undefined
  const column = columnsOfObject(message).get('id')
  return column === undefined || column === 'id' ? undefined : idOf(message[column])
}

/** Adds utterances, and reports each unknown speaker once. */
class UtteranceReader {
  readonly notes: ReaderContext
  readonly #unknownSpeakers = new Set<string>()

  constructor(notes: ReaderContext) {
    this.notes = notes
  }

  add(message: unknown, place: Place, conversation: ConversationBuilder): void {
    const { report, options } = this.notes
    const columns = columnsOfObject(message, options.columns)
    const utterance = utteranceIn(message, columns)
    if (!utterance) return report(`expected a message with a speaker and a text; found ${describe(message)}`, place)
    const action = isAction(message)
    const role = action ? 'system' : aliasedRole(utterance.speaker, options.columns)
    if (role === undefined) return this.#reportSpeaker(utterance.speaker, place)
    const { content } = utterance
    conversation.losses.note(utterance.speaker)
    const fields = asObject(message)
    const field = (name: ColumnField) => fields[columns.get(name) ?? '']
    const tool = textOf(field('tool'))
    const calls = role === 'assistant' && tool !== undefined && (field('args') !== undefined || !content)
    const read = calls || role === 'tool' ? [...always, 'tool', 'args'] : always
    const mapped = new Set<string>()
    for (const [name, key] of columns) if (read.includes(name)) mapped.add(key)
    const isRead = (key: string) => mapped.has(key) || key === 'index'
    const facts = shortFields(fields, isRead, conversation.losses, 'message ')
    const metadata = action ? { kind: 'action', ...facts } : facts
    const visible = field('visible') === false ? false : undefined
    const context = { place, at: field('time'), model: field('model'), metadata, visible, message: fields }
    if (role === 'tool')
      conversation.addToolResult({ name: field('tool'), output: content }, { ...context, visible: undefined })
    else if (!calls || content) conversation.addMessage(role, content, context)
    if (calls) conversation.addToolCalls([{ name: tool, args: field('args') }], context)
  }

  #reportSpeaker(speaker: unknown, place: Place): void {
    const spelling = describe(speaker)
    if (this.#unknownSpeakers.has(spelling) || this.#unknownSpeakers.size === 20) return
    this.#unknownSpeakers.add(spelling)
    const hint = typeof speaker === 'string' ? `. Map it: --map "role:${speaker.slice(0, 40)}=user"` : ''
    this.notes.report(`expected a speaker such as customer, agent or bot; found ${spelling}${hint}`, place)
  }
}

/** Fields that are always read, or only number the messages. */
const always: readonly string[] = ['id', 'role', 'content', 'time', 'order', 'model', 'visible']

function utteranceIn(message: unknown, columns: ColumnMap): { speaker: unknown; content: unknown } | undefined {
  if (Array.isArray(message)) {
    const [speaker, content] = message
    return message.length === 2 && typeof speaker === 'string' ? { speaker, content } : undefined
  }
  const role = columns.get('role')
  const content = columns.get('content')
  if (!isObject(message) || role === undefined || content === undefined) return undefined
  return { speaker: nameIn(message[role]), content: message[content] }
}

/** A speaker may be an object with a role. */
function nameIn(speaker: unknown): unknown {
  return isObject(speaker) ? (speaker.role ?? speaker.type ?? speaker.name) : speaker
}

/** ABCD records the actions of the agent between the utterances. */
function isAction(message: unknown): boolean {
  const speaker: unknown = Array.isArray(message) ? message[0] : (asObject(message).speaker ?? asObject(message).role)
  return typeof speaker === 'string' && speaker.toLowerCase() === 'action'
}
