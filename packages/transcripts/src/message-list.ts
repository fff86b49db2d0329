import { idOf } from './facts.js'
import { eachRecord, type FileRecord, placeIn, type Reader } from './format.js'
import { isObject, type JsonObject } from './json.js'
import type { Draft, Place } from './turn.js'

/** A talk as a list of messages, each with its place; `head` is what stands beside the list. */
export interface MessageList {
  head: JsonObject
  messages: readonly { value: unknown; place: Place }[]
  place: Place
}

const sampled = 16

/** The score of an array: the mean of its first messages, or 0 if half of them or more are unknown. */
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

/**
 * A reader of talks that are lists of messages: a record is an array of messages, an object that holds one, or a lone
 * message. Lone messages that follow each other are one talk, unless each names its talk, as rows of a database do: then
 * they are talks by that id, in any order, and so are those of an array.
 *
 * @param listIn where an object holds its messages, as a JSON pointer of one step such as `/messages`; undefined where
 * the object is a message itself
 */
export function readerOfLists(
  listIn: (value: JsonObject) => string | undefined,
  read: (list: MessageList, record: FileRecord) => Draft | undefined,
): Reader {
  let lone = new Map<string, FileRecord[]>()

  const flush = (): Draft[] => {
    const talks = [...lone]
    lone = new Map()
    return talks.flatMap(([id, records]) => {
      const [first] = records
      if (!first) return []
      const messages = records.map((record) => ({ value: record.value, place: placeIn(record, '') }))
      return present(id, read({ head: {}, messages: without(id, messages), place: placeIn(first, '') }, first))
    })
  }

  const whole = eachRecord((record) => {
    const { value } = record
    const pointer = isObject(value) ? (listIn(value) ?? '') : ''
    const head = isObject(value) ? value : {}
    const list = pointer === '' ? value : head[pointer.slice(1)]
    const values: readonly unknown[] = Array.isArray(list) ? list : []
    const messages = values.map((message, index) => ({
      value: message,
      place: placeIn(record, `${pointer}/${index}`),
    }))
    if (pointer !== '' || values.length === 0 || values.some((message) => talkIdIn(message) === undefined)) {
      return read({ head, messages, place: placeIn(record, '') }, record)
    }
    const talks = groupedBy(messages, ({ value: message }) => talkIdIn(message) ?? '')
    return [...talks].flatMap(([id, own]) =>
      present(id, read({ head, messages: without(id, own), place: own[0]?.place ?? placeIn(record, '') }, record)),
    )
  })

  return {
    take(record) {
      const { value } = record
      if (!isObject(value) || listIn(value) !== undefined) return [...flush(), ...whole.take(record)]
      const id = talkIdIn(value) ?? ''
      const known = lone.get(id)
      if (known) known.push(record)
      else lone.set(id, [record])
      return []
    },
    end: flush,
  }
}

const idFields = ['conversation_id', 'conversationId', 'thread_id', 'chat_id', 'session_id']

/** The talk that a message says it is of. */
function talkIdIn(message: unknown): string | undefined {
  if (!isObject(message)) return undefined
  for (const field of idFields) {
    const id = idOf(message[field])
    if (id !== undefined) return id
  }
  return undefined
}

type Messages = MessageList['messages']

/** Messages without the id of their talk, which is that of the talk then. */
function without(id: string, messages: Messages): Messages {
  if (id === '') return messages
  return messages.map(({ value, place }) => ({ value: isObject(value) ? withoutId(value, id) : value, place }))
}

function withoutId(message: JsonObject, id: string): JsonObject {
  return Object.fromEntries(
    Object.entries(message).filter(([key, value]) => !(idFields.includes(key) && idOf(value) === id)),
  )
}

function groupedBy<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of list) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

function present(id: string, draft: Draft | undefined): Draft[] {
  if (draft === undefined) return []
  return [id === '' || draft.externalId !== undefined ? draft : { ...draft, externalId: id }]
}
