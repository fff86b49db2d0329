import { isObject, type JsonObject, textOf } from '../json/index.js'
import type { Losses } from '../model/index.js'

/** True for values that are short enough for metadata: numbers, booleans and short texts. */
function isMetadataValue(value: unknown): value is string | number | boolean {
  if (typeof value === 'string') return value !== '' && value.length <= 200
  return typeof value === 'number' || typeof value === 'boolean'
}

/** The short values of the fields that are not read, as metadata; other values are lost. */
export function shortFields(
  fields: JsonObject,
  isRead: (key: string) => boolean,
  losses: Losses,
  where = '',
): JsonObject {
  const unread = Object.entries(fields).filter(([key]) => !isRead(key))
  for (const [key, value] of unread) if (!isMetadataValue(value)) losses.addField(key, value, where)
  return Object.fromEntries(unread.filter(([, value]) => isMetadataValue(value)))
}

/** The metadata of a conversation if it is an object; any other value is counted as lost. */
export function metadataIn(fields: JsonObject, losses: Losses): JsonObject | undefined {
  if (isObject(fields.metadata)) return fields.metadata
  if (fields.metadata !== undefined) losses.addField('metadata', fields.metadata)
  return undefined
}

export function idOf(id: unknown): string | undefined {
  return typeof id === 'number' ? String(id) : textOf(id)
}
