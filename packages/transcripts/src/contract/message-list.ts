import { ConversationBuilder } from '../conversation/index.js'
import { type JsonObject, textOf, wordsOf } from '../json/index.js'
import {
  elementsOf,
  type Losses,
  type Place,
  type Placed,
  type ReaderContext,
  type Role,
  reasons,
} from '../model/index.js'
import type { MessageShape } from './format.js'
import { mappedMessages } from './mapped.js'

/** A conversation as a list of messages; `head` holds the fields beside the list. */
export interface MessageList {
  head: JsonObject
  messages: readonly Placed[]
  place: Place
}

/** The messages of an input: a text is a message of the user, a list holds messages. */
export function messagesOfInput(input: unknown, place: Place): Placed[] {
  const content = typeof input === 'number' ? String(input) : input
  return typeof content === 'string' ? [{ value: { role: 'user', content }, place }] : elementsOf(input, place)
}

export function conversationOf(
  messages: readonly Placed[],
  shape: MessageShape,
  context: ReaderContext,
): ConversationBuilder {
  const conversation = new ConversationBuilder(context)
  conversation.mapped = mappedMessages(messages, context)
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

const names = wordsOf('name title')
const models = wordsOf('modelName model_name model')
const times = wordsOf('sourceTimestamp source_timestamp createdAt created_at timestamp created')

/** The usual names of the fields beside a list of messages that the upload schema has. */
export const usualHeadFields: readonly string[] = [...names, ...models, ...times]

export const usualMessageFields: readonly string[] = [...models, ...times]

/** The places of the usual facts of a conversation. */
export const usualFacts = { name: names, modelName: models, sourceTimestamp: times } as const

/** The places of the other facts of the upload body, and of its id. */
export const uploadFacts = {
  language: 'language',
  externalId: ['externalId', 'external_id', 'id'],
  externalUserId: ['externalUserId', 'external_user_id'],
  sourceSystem: ['sourceSystem', 'source_system'],
} as const

const otherFacts = [models, times, uploadFacts.externalId, uploadFacts.sourceSystem]
const isRepeated = (names: readonly string[], head: JsonObject) =>
  names.filter((name) => head[name] !== undefined).length > 1

/** Count the values of these facts that differ from the first. A declaration counts those of the name itself. */
export function countOtherFacts(
  head: JsonObject,
  losses: Losses,
  { externalUserId = uploadFacts.externalUserId }: { externalUserId?: readonly string[] } = {},
): void {
  for (const names of otherFacts) if (isRepeated(names, head)) losses.addOthers(head, names)
  if (isRepeated(externalUserId, head)) losses.addOthers(head, externalUserId)
}

export function usualHead(head: JsonObject, losses: Losses) {
  return {
    name: textOf(firstIn(head, names, isText, losses)),
    modelName: textOf(firstIn(head, models, isText, losses)),
    at: firstIn(head, times, isAny, losses),
  }
}

/** The other fields of the upload body, in camelCase and snake_case. */
export const uploadHeadFields: readonly string[] = Object.values(uploadFacts)
  .flat()
  .filter((name) => name !== 'id')

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
