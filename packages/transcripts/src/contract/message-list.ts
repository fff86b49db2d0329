import { ConversationBuilder, idOf } from '../conversation/index.js'
import { asObject, describe, getOrInsert, isObject, type JsonObject, textOf, wordsOf } from '../json/index.js'
import {
  type ConversationDraft,
  elementsOf,
  type Losses,
  type Place,
  type Placed,
  type ReaderContext,
  type Role,
  reasons,
  within,
} from '../model/index.js'
import { type FileRecord, type Format, type MessageShape, placeIn, type Reader } from './format.js'

/** A conversation as a list of messages; `head` holds the fields beside the list. */
export interface MessageList {
  head: JsonObject
  messages: readonly Placed[]
  place: Place
}

/** The messages of an input: a text is a message of the user, a list holds messages. */
export function messagesOfInput(input: unknown, place: Place): Placed[] {
  return typeof input === 'string' ? [{ value: { role: 'user', content: input }, place }] : elementsOf(input, place)
}

export function conversationOf(
  messages: readonly Placed[],
  shape: MessageShape,
  notes: ReaderContext,
): ConversationBuilder {
  const conversation = new ConversationBuilder(notes)
  for (const { value, place } of messages) shape.add(value, place, conversation)
  return conversation
}

const sampled = 16

/** The score of an array: the mean over a sample of its messages, or 0 if half of them or more are unknown. */
export function scoreOfList(list: unknown, scoreOf: (message: unknown) => number): number {
  if (!Array.isArray(list) || list.length === 0) return 0
  const count = Math.min(list.length, sampled)
  let known = 0
  let sum = 0
  for (let index = 0; index < count; index++) {
    const score = scoreOf(list[Math.floor((index * list.length) / count)])
    if (score > 0) known++
    sum += score
  }
  return known * 2 > count ? sum / count : 0
}

interface ListOptions {
  /**
   * The field of an object that holds its messages; undefined if the object is a message. Default: every object is a
   * message.
   */
  listIn?(value: JsonObject): string | undefined
  /**
   * Reads an object that is neither a message nor a list with its head; undefined for any other. Default: there is no
   * such object.
   */
  wholeIn?(value: JsonObject, place: Place): (() => ConversationDraft[]) | undefined
  /** The reason why an object is a request without an answer, which is skipped. Default: no object is. */
  failureIn?(value: JsonObject): string | undefined
  /** The id of a message's conversation in a field of this format. Default: only the usual fields are read. */
  idIn?(message: unknown): string | undefined
}

/**
 * A reader of conversations that are lists of messages. A record is an array of messages, an object that holds one, or a
 * single message; any other record is reported. Single messages, and arrays of messages that all have a conversation id,
 * are grouped by that id; consecutive messages without an id are one conversation.
 */
export function readerOfLists(
  { accepts }: Pick<Format, 'accepts'>,
  { report, skip }: ReaderContext,
  { listIn = () => undefined, wholeIn = () => undefined, failureIn, idIn = () => undefined }: ListOptions,
  read: (list: MessageList) => ConversationDraft,
): Reader {
  let lone = new Map<string, { messages: Placed[]; first: Place }>()

  const add = (record: FileRecord): void => {
    const { value } = record
    const own = idIn(value)
    const id = own ?? conversationIdIn(value) ?? ''
    const known = getOrInsert(lone, id, () => ({ messages: [], first: placeIn(record) }))
    known.messages.push({ value: own === undefined ? withoutId(value, id) : value, place: placeIn(record) })
  }

  function* flush(): Generator<ConversationDraft> {
    const conversations = [...lone]
    lone = new Map()
    for (const [id, { messages, first }] of conversations) {
      const draft = read({ head: {}, messages, place: first })
      yield id === '' || draft.externalId !== undefined ? draft : { ...draft, externalId: id }
    }
  }

  return {
    read(record) {
      const { value } = record
      const place = placeIn(record)
      const failure = isObject(value) ? failureIn?.(value) : undefined
      if (failure !== undefined) {
        skip(failure, place)
        return [...flush()]
      }
      const whole = isObject(value) ? wholeIn(value, place) : undefined
      if (whole) return [...flush(), ...whole()]
      const hasId = (row: unknown) => (idIn(row) ?? conversationIdIn(row)) !== undefined
      if (Array.isArray(value) && value.length > 0 && value.every(hasId)) {
        const pointer = record.pointer ?? ''
        for (const [index, row] of value.entries()) add({ ...record, value: row, pointer: `${pointer}/${index}` })
        return []
      }
      const field = isObject(value) ? listIn(value) : ''
      if (field === undefined) {
        add(record)
        return []
      }
      if (typeof value !== 'object' || value === null) {
        report(`expected ${accepts}; found ${describe(value)}`, place)
        return [...flush()]
      }
      const head = asObject(value)
      const messages = isObject(value) ? elementsOf(value[field], within(place, field)) : elementsOf(value, place)
      return [...flush(), read({ head, messages, place })]
    },
    end: flush,
  }
}

const idFields = ['conversation_id', 'conversationId', 'thread_id', 'chat_id', 'session_id']

function conversationIdIn(message: unknown): string | undefined {
  const fields = asObject(message)
  return idFields.map((field) => idOf(fields[field])).find((id) => id !== undefined)
}

/** The message without the id of its conversation, which would be counted as lost. */
function withoutId(message: unknown, id: string): unknown {
  if (id === '' || !isObject(message)) return message
  return Object.fromEntries(
    Object.entries(message).filter(([key, value]) => !(idFields.includes(key) && idOf(value) === id)),
  )
}

const names = wordsOf('name title')
const models = wordsOf('modelName model_name model')
const times = wordsOf('sourceTimestamp source_timestamp createdAt created_at timestamp created')

/** The usual names of the fields beside a list of messages that the upload schema has. */
export const usualHeadFields: readonly string[] = [...names, ...models, ...times]

export const usualMessageFields: readonly string[] = [...models, ...times]

export function usualHead(head: JsonObject, losses: Losses) {
  return {
    name: textOf(firstIn(head, names, isText, losses)),
    modelName: textOf(firstIn(head, models, isText, losses)),
    at: firstIn(head, times, isAny, losses),
  }
}

const externalIds = ['externalId', 'external_id']
const externalUserIds = ['externalUserId', 'external_user_id']
const sourceSystems = ['sourceSystem', 'source_system']

/** The other fields of the upload body, in camelCase and snake_case. */
export const uploadHeadFields: readonly string[] = ['language', ...externalIds, ...externalUserIds, ...sourceSystems]

export function uploadHead(head: JsonObject, losses: Losses) {
  return {
    language: textOf(firstIn(head, ['language'], isText, losses)),
    externalId: textOf(firstIn(head, externalIds, isText, losses)),
    externalUserId: textOf(firstIn(head, externalUserIds, isText, losses)),
    sourceSystem: textOf(firstIn(head, sourceSystems, isText, losses)),
  }
}

/** The time and model of a message. Only a message of the assistant has a model; any other is lost. */
export function usualMessage(message: JsonObject, role: Role, losses: Losses) {
  const isModel = role === 'assistant' ? isText : isNone
  return {
    at: firstIn(message, times, isAny, losses, 'message '),
    model: textOf(firstIn(message, models, isModel, losses, 'message ')),
  }
}

/** The first usable value of several names for one field; other values are lost. */
function firstIn(
  fields: JsonObject,
  names: readonly string[],
  isUsable: (value: unknown) => boolean,
  losses: Losses,
  where = '',
): unknown {
  let found: unknown
  for (const name of names) {
    const value = fields[name]
    if (value === undefined || value === null || value === '' || value === found) continue
    if (found === undefined && isUsable(value)) found = value
    else losses.addField(name, value, where, reasons.noField)
  }
  return found
}

const isText = (value: unknown) => typeof value === 'string'
const isAny = () => true
const isNone = () => false
