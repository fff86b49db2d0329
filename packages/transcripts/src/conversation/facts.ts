import { isObject, type JsonObject, textOf } from '../json/index.js'
import type { Losses } from '../model/index.js'

/** A value short enough for metadata: a number, a truth value, or a text of some words. */
export function isMetadataValue(value: unknown): value is string | number | boolean {
  if (typeof value === 'string') return value !== '' && value.length <= 200
  return typeof value === 'number' || typeof value === 'boolean'
}

/** The metadata of a conversation where they are an object; anything else is counted as lost. */
export function metadataIn(fields: JsonObject, losses: Losses): JsonObject | undefined {
  if (isObject(fields.metadata)) return fields.metadata
  if (fields.metadata !== undefined) losses.addField('metadata', fields.metadata)
  return undefined
}

/** An id that a file has as a text or a number. */
export function idOf(id: unknown): string | undefined {
  return typeof id === 'number' ? String(id) : textOf(id)
}

/** Counts the fields of a log's line that nobody reads and that may hold words: flags and numbers keep house. */
export function countUnreadText(fields: JsonObject, known: ReadonlySet<string>, where: string, losses: Losses): void {
  for (const key in fields) {
    if (known.has(key)) continue
    const value = fields[key]
    if (typeof value === 'string' || typeof value === 'object') losses.addField(key, value, where)
  }
}

const deepest = 4

/** True if something that somebody may read stands in a value: a text of more than one word, at some depth. */
function holdsWords(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return /\S\s+\S/.test(value)
  if (typeof value !== 'object' || value === null || depth === deepest) return false
  return Object.values(value).some((each) => holdsWords(each, depth + 1))
}

/** Counts the fields that nobody reads and in which there are words; ids, flags and the like keep house. */
export function countUnreadSentences(
  fields: JsonObject,
  known: ReadonlySet<string>,
  where: string,
  losses: Losses,
): void {
  for (const key in fields) {
    if (known.has(key)) continue
    if (holdsWords(fields[key])) losses.addField(key, fields[key], where)
  }
}
