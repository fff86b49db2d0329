import type { AllowUndefined } from '../json/index.js'
import { type ConversationDraft, hasAtMost, type Losses, shortened } from '../model/index.js'
import { sanitizeText } from './sanitize.js'

type Fields = Omit<ConversationDraft, 'turns' | 'losses'>

const tooLong = 'the upload schema allows no more'

/**
 * The fields of a draft within the lengths of the upload body, counted in code points: a name is cut, an id ends in a
 * hash of its whole so that different ones stay different, and a language code that long is none.
 */
export function fitFields(fields: AllowUndefined<Fields>, losses: Losses): Fields {
  const { language, metadata, sourceTimestamp, process, place } = fields
  const name = cut(fields.name, 500, 'name', losses)
  const modelName = cut(fields.modelName, 100, 'model name', losses)
  const sourceSystem = cut(fields.sourceSystem, 100, 'source system', losses)
  const externalId = cutId(fields.externalId, 500, 'external id', losses)
  const externalUserId = cutId(fields.externalUserId, 500, 'external user id', losses)
  const fitted: Fields = { place }
  if (name !== undefined) fitted.name = name
  if (modelName !== undefined) fitted.modelName = modelName
  if (sourceSystem !== undefined) fitted.sourceSystem = sourceSystem
  if (externalId !== undefined) fitted.externalId = externalId
  if (externalUserId !== undefined) fitted.externalUserId = externalUserId
  if (language !== undefined && hasAtMost(language, 10)) fitted.language = sanitizeText(language, losses)
  else if (language !== undefined) losses.drop('language over 10 characters', tooLong)
  if (metadata !== undefined) fitted.metadata = metadata
  if (sourceTimestamp !== undefined) fitted.sourceTimestamp = sourceTimestamp
  if (process !== undefined) fitted.process = process
  return fitted
}

/** A name within 500 characters. */
export function fitName(name: string, losses: Losses): string {
  return fit(name, 500, 'name', losses)
}

function cut(text: string | undefined, most: number, what: string, losses: Losses): string | undefined {
  if (text === undefined) return undefined
  const stored = sanitizeText(text, losses).trim()
  return stored === '' ? undefined : fit(stored, most, what, losses)
}

function fit(text: string, most: number, what: string, losses: Losses): string {
  if (hasAtMost(text, most)) return text
  losses.add('cut', `${what} over ${most} characters`, tooLong)
  return shortened(text, most)
}

function cutId(text: string | undefined, most: number, what: string, losses: Losses): string | undefined {
  if (text === undefined || text === '') return undefined
  if (hasAtMost(text, most)) return sanitizeText(text, losses)
  losses.add('cut', `${what} over ${most} characters`, tooLong)
  const mark = `#${hash(text)}`
  return sanitizeText(shortened(text, most - mark.length), losses) + mark
}

/** FNV-1a, twice with different starts: enough to tell the ids of one source apart. */
function hash(text: string): string {
  let low = 0x811c9dc5
  let high = 0x1b873593
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x01000193) ^ (low >>> 7)
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
