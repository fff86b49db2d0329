import { type JsonObject, textOf, wordsOf } from '../json/index.js'
import type { Losses, Role } from '../model/index.js'

const names = wordsOf('name title')
const models = wordsOf('modelName model_name model')
const times = wordsOf('sourceTimestamp source_timestamp createdAt created_at timestamp created')

/** The usual names of the fields beside a list of messages that the upload schema has. */
export const usualHeadFields: readonly string[] = [...names, ...models, ...times]

/** The usual names of the model and the time of a message. */
export const usualMessageFields: readonly string[] = [...models, ...times]

/** The name, model and time beside a list of messages. */
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

/** The language, ids and source system beside a list of messages. */
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
    else losses.addField(name, value, where)
  }
  return found
}

const isText = (value: unknown) => typeof value === 'string'
const isAny = () => true
const isNone = () => false
