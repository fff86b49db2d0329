import {
  aliasedRole,
  chosenSpeaker,
  conversationIdIn,
  defineFormat,
  type Format,
  isTwoParty,
  type MessageList,
  type ReaderContext,
  readerOfLists,
  roleHint,
  type Speaker,
} from '../../contract/index.js'
import { ConversationBuilder, idOf, shortFields } from '../../conversation/index.js'
import {
  asList,
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
import {
  type ConversationDraft,
  type Place,
  type Placed,
  type ReadOptions,
  type Role,
  roles,
  within,
} from '../../model/index.js'
import {
  type ColumnField,
  type ColumnMap,
  columnFields,
  columnsOfObject,
  fieldAt,
  TableRow,
  usualNamesOf,
  withoutField,
} from '../../records/index.js'

const listFields = wordsOf('original utterances dialogue dialog turns messages conversation transcript chat log')

export const dialogues: Format<'dialogues'> = defineFormat({
  id: 'dialogues',
  isGeneric: true,
  title: 'Dialogues of speakers',
  accepts: '{ "utterances": [{ "speaker", "text" }] }, { "original": [["agent", "text"]] }, or such messages alone',
  fields: [...listFields, ...usualNamesOf('role'), ...usualNamesOf('content')],
  signature(value) {
    if (Array.isArray(value)) return scoreOfDialogue(value)
    if (!isObject(value)) return 0
    const list = listIn(value)
    if (list === undefined) return scoreOfMessage(value)
    const score = scoreOfDialogue(value[list])
    if (score === 0) return 0
    return list === 'original' || list === 'utterances' ? 0.95 : Math.max(score, 0.5)
  },
  // The user maps the places of texts, speakers and facts, which a declaration would fix.
  reader(context) {
    const { columns } = context.options
    const field = (value: JsonObject) => (mapsTexts(columns) ? mappedListIn(value, columns) : listIn(value))
    const hasTexts = (value: JsonObject) => mapsPairs(columns) && !columns?.id && isMapped(value, columns)
    const ofLists = readerOfLists(
      dialogues,
      context,
      {
        listIn: field,
        // Rows of several messages without an id are conversations of their own.
        wholeIn: (value, place) =>
          hasTexts(value)
            ? () => [readDialogue({ head: {}, messages: [{ value, place }], place }, context)]
            : undefined,
        maps: columnFields,
      },
      (list) => readDialogue(list, context),
    )
    return { ...ofLists, namesSpeakers: true }
  },
})

type Columns = Record<string, string> | undefined

const textFields: readonly ColumnField[] = ['content', 'user', 'assistant', 'system']
const mapsTexts = (columns: Columns): boolean => textFields.some((field) => columns?.[field])
const mapsPairs = (columns: Columns): boolean => textFields.slice(1).some((field) => columns?.[field])
const isMapped = (value: unknown, columns: Columns): boolean =>
  textFields.some((field) => fieldAt(value, columns?.[field] || undefined) !== undefined)

/** The field with a list of messages that have a mapped text. */
function mappedListIn(value: JsonObject, columns: Columns): string | undefined {
  if (isMapped(value, columns)) return undefined
  return Object.keys(value).find((key) => asList(value[key]).some((message) => isMapped(message, columns)))
}

/** True for a record with the texts that the user maps. */
export function hasMapped(value: unknown, { columns }: ReadOptions): boolean {
  if (!mapsTexts(columns) || value instanceof TableRow) return false
  if (Array.isArray(value)) return value.some((message) => isMapped(message, columns))
  return isMapped(value, columns) || (isObject(value) && mappedListIn(value, columns) !== undefined)
}

const ofLists = new Set(listFields)

function listIn(value: JsonObject): string | undefined {
  if (!hasAny(value, ofLists)) return undefined
  return listFields.find((name) => Array.isArray(value[name]))
}

function readDialogue({ head, messages, place }: MessageList, context: ReaderContext): ConversationDraft {
  const conversation = new ConversationBuilder(context)
  const chosen = context.options.columns
  const utterances = new Utterances(messages, conversation, chosen)
  for (const message of messages) utterances.add(message)
  // The topic of an ABCD conversation. The rest of its scenario describes a fictional customer.
  const flow = textsAt(asObject(head.scenario), ['flow', 'subflow'])
  const { [listIn(head) ?? '']: _, ...own } = { ...head, ...flow }
  const columns = columnsOfObject(own, chosen)
  const field = (name: ColumnField) =>
    fieldAt(own, columns.get(name)) ?? (chosen?.[name] ? fieldAt(messages[0]?.value, chosen[name]) : undefined)
  const id = chosen?.id === undefined ? conversationIdIn(own) : undefined
  const mapped = new Set([id?.field, ...headFields.map((name) => columns.get(name))])
  const isRead = (key: string) => mapped.has(key) || knownFields.has(key)
  const metadata = shortFields(own, isRead, conversation.losses)
  conversation.losses.note(head.delexed)
  return conversation.build({
    name: textOf(field('name')),
    modelName: textOf(field('model')),
    language: textOf(head.language) ?? textOf(head.lang),
    externalId: id?.id ?? idOf(fieldAt(own, columns.get('id'))),
    externalUserId: idOf(field('user_id')),
    sourceTimestamp: conversation.time(fieldAt(own, columns.get('time'))),
    metadata,
    place,
  })
}

const headFields: readonly ColumnField[] = ['id', 'name', 'user_id', 'model', 'time']

/** `delexed` repeats the texts of ABCD. */
const knownFields = new Set(['delexed', 'language', 'lang'])

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
    const score = isAction(message) || pairIn(message, undefined) ? 0.8 : scoreOfMessage(message)
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

/** Adds the utterances of one dialogue, and reports each unknown speaker once. */
class Utterances {
  readonly #conversation: ConversationBuilder
  readonly #columns: Columns
  readonly #speakers: readonly Speaker[]
  /** The role of a speaker who is called the system. */
  readonly #systemRole: Role
  readonly #unknown = new Set<string>()

  constructor(messages: MessageList['messages'], conversation: ConversationBuilder, columns: Columns) {
    this.#conversation = conversation
    this.#columns = columns
    const speakers = messages.map(({ value }) => speakerIn(value, columns))
    this.#systemRole = isTwoParty(speakers.map(({ role }) => role)) ? 'assistant' : 'system'
    this.#speakers = speakers
  }

  add({ value: message, place }: Placed): void {
    const conversation = this.#conversation
    const chosen = this.#columns
    const pair = pairIn(message, chosen)
    if (pair) return addPair(pair, asObject(message), place, conversation, chosen)
    const columns = columnsOfObject(message, chosen)
    const utterance = utteranceIn(message, columns)
    if (!utterance)
      return conversation.report(`expected a message with a speaker and a text; found ${describe(message)}`, place)
    const action = isAction(message)
    const own = action ? 'system' : aliasedRole(utterance.speaker, chosen)
    if (own === undefined) return this.#reportSpeaker(utterance.speaker, place)
    const isChosen = chosen !== undefined && `role:${utterance.speaker}` in chosen
    const role = own === 'system' && !action && !isChosen ? this.#systemRole : own
    const { content } = utterance
    conversation.losses.note(utterance.speaker)
    const fields = asObject(message)
    const field = (name: ColumnField) => fieldAt(fields, columns.get(name))
    const tool = textOf(field('tool'))
    const calls = role === 'assistant' && tool !== undefined && (field('args') !== undefined || !content)
    const read = calls || role === 'tool' ? [...always, 'tool', 'args'] : always
    const facts = factsOf(fields, columns, read, conversation)
    const metadata = action ? { kind: 'action', ...facts } : { ...chosenSpeaker(String(utterance.speaker)), ...facts }
    const context = { place, at: field('time'), model: field('model'), metadata, message: fields }
    if (role === 'tool') conversation.addToolResult({ name: field('tool'), output: content }, context)
    else if (!calls || content) conversation.addMessage(role, content, context)
    if (calls) conversation.addToolCalls([{ name: tool, args: field('args') }], context)
  }

  #reportSpeaker(speaker: unknown, place: Place): void {
    const spelling = describe(speaker)
    if (this.#unknown.has(spelling)) return
    this.#unknown.add(spelling)
    const hint = typeof speaker === 'string' ? roleHint(speaker.trim(), this.#speakers) : ''
    this.#conversation.report(`expected a speaker such as customer, agent or bot; found ${spelling}${hint}`, place)
  }
}

/** The speaker of an utterance. An action and a pair have none. */
function speakerIn(message: unknown, columns: Columns): Speaker {
  const utterance = isAction(message) ? undefined : utteranceIn(message, columnsOfObject(message, columns))
  const { speaker, content } = utterance ?? {}
  return { name: textOf(speaker)?.trim() ?? '', role: aliasedRole(speaker, columns), text: content }
}

/** Fields that say where a message belongs, and not more. */
const positions: readonly string[] = ['id', 'order', 'visible']

/** The facts of a message beside the fields that are read, of which some may be in nested objects. */
function factsOf(
  fields: JsonObject,
  columns: ColumnMap,
  read: readonly string[],
  { losses }: ConversationBuilder,
): JsonObject {
  let others: unknown = fields
  for (const [name, path] of columns) {
    if (!read.includes(name)) continue
    if (positions.includes(name)) losses.noteWord(fieldAt(fields, path))
    others = withoutField(others, path)
  }
  return shortFields(asObject(others), (key) => key === 'index', losses, 'message ')
}

/** A message of the user and the answer to it in one object, by the fields of both. */
const pairFields = [
  ...['input output', 'question answer', 'prompt response', 'prompt completion', 'user assistant', 'human assistant'],
  ...['human bot', 'human gpt', 'user bot', 'user system', 'query response', 'query answer', 'instruction response'],
  ...['instruction output', 'request response', 'customer agent'],
].map((names) => wordsOf(names))

type Pair = readonly (readonly [Role, string])[]

/** The mapped fields with texts, or those of a pair. */
function pairIn(message: unknown, columns: Columns): Pair | undefined {
  if (!isObject(message)) return undefined
  if (mapsPairs(columns)) {
    const mapped = (['system', 'user', 'assistant'] as const).flatMap((role) => {
      const path = columns?.[role]
      return path && fieldAt(message, path) !== undefined ? [[role, path] as const] : []
    })
    return mapped.length > 0 ? mapped : undefined
  }
  const usual = columnsOfObject(message, columns)
  if (usual.has('role') && usual.has('content')) return undefined
  const names = pairFields.find((pair) => pair.every((name) => typeof message[name] === 'string'))
  const [user = '', assistant = ''] = names ?? []
  return (
    names && [
      ['user', user],
      [user === 'customer' ? 'human_agent' : 'assistant', assistant],
    ]
  )
}

function addPair(
  pair: Pair,
  fields: JsonObject,
  place: Place,
  conversation: ConversationBuilder,
  chosen: Columns,
): void {
  const columns = new Map(columnsOfObject(fields, chosen))
  const others = pair.reduce<unknown>((left, [, path]) => withoutField(left, path), fields)
  const facts = factsOf(asObject(others), columns, always, conversation)
  for (const [index, [role, path]] of pair.entries()) {
    const content = fieldAt(fields, path)
    if (content === null || content === '') continue
    const steps = Object.hasOwn(fields, path) ? [path] : path.split('.')
    conversation.addMessage(role, content, {
      place: within(place, ...steps),
      at: fieldAt(fields, columns.get('time')),
      model: fieldAt(fields, columns.get('model')),
      metadata: index === pair.length - 1 ? facts : undefined,
    })
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
  if (fieldAt(message, role) === undefined && fieldAt(message, content) === undefined) return undefined
  return { speaker: nameIn(fieldAt(message, role)), content: fieldAt(message, content) }
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
