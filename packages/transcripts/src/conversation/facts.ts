import { isObject, type JsonObject, textOf } from '../json/index.js'
import type { Losses } from '../model/index.js'

/** True for values that are short enough for metadata: numbers, booleans and short texts. */
export function isMetadataValue(value: unknown): value is string | number | boolean {
  if (typeof value === 'string') return value !== '' && value.length <= 200
  return typeof value === 'number' || typeof value === 'boolean'
}

/** The short values of the fields that are not read, as metadata; other values are lost. */
export function shortFields(
  fields: JsonObject,
  isRead: (key: string) => boolean,
  where: string,
  losses: Losses,
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

/** An id, which may be a text or a number in the file. */
export function idOf(id: unknown): string | undefined {
  return typeof id === 'number' ? String(id) : textOf(id)
}

/** Count the unread fields that may hold text; numbers and flags are not content. */
export function countUnreadText(fields: JsonObject, known: ReadonlySet<string>, where: string, losses: Losses): void {
  for (const key in fields) {
    const value = fields[key]
    if (!known.has(key) && (typeof value === 'string' || typeof value === 'object')) losses.addField(key, value, where)
  }
}

const maxDepth = 4

/** True if a value holds a text of more than one word. */
function holdsWords(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return /\S\s+\S/.test(value)
  if (typeof value !== 'object' || value === null || depth === maxDepth) return false
  return Object.values(value).some((each) => holdsWords(each, depth + 1))
}

/** Count the unread fields that hold a text of more than one word; ids and flags are not content. */
export function countUnreadSentences(
  fields: JsonObject,
  known: ReadonlySet<string>,
  where: string,
  losses: Losses,
): void {
  for (const key in fields) {
    if (!known.has(key) && holdsWords(fields[key])) losses.addField(key, fields[key], where)
  }
}
