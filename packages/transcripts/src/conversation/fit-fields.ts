import { limits } from '@svc/client'
import { type AllowUndefined, defined } from '../json/index.js'
import { type ConversationDraft, hasAtMost, type Losses, shortened } from '../model/index.js'
import { sanitizeText } from './sanitize.js'

type Fields = Omit<ConversationDraft, 'turns' | 'losses'>

const tooLong = 'the upload schema allows no more'

/**
 * The fields of a draft within the lengths of the upload schema, counted in code points. Names are cut; a cut id ends in
 * a hash, so that different ids stay different; a language code that is too long is dropped.
 */
export function fitFields(fields: AllowUndefined<Fields>, losses: Losses): Fields {
  return defined<Fields>({
    place: fields.place,
    name: cut(fields.name, limits.name.max, 'name', losses),
    modelName: cut(fields.modelName, limits.modelName.max, 'model name', losses),
    sourceSystem: cut(fields.sourceSystem, limits.sourceSystem.max, 'source system', losses),
    externalId: cutId(fields.externalId, limits.externalId.max, 'external id', losses),
    externalUserId: cutId(fields.externalUserId, limits.externalUserId.max, 'external user id', losses),
    language: fitLanguage(fields.language, losses),
    metadata: fields.metadata,
    sourceTimestamp: fields.sourceTimestamp,
    process: fields.process,
  })
}

function fitLanguage(language: string | undefined, losses: Losses): string | undefined {
  const { max } = limits.language
  if (language === undefined || hasAtMost(language, max)) return language && sanitizeText(language, losses)
  losses.drop(`language over ${max} characters`, tooLong)
  return undefined
}

export function fitName(name: string, losses: Losses): string {
  return fit(name, limits.name.max, 'name', losses)
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

/** FNV-1a, twice with different seeds: enough to distinguish the ids of one source. */
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
