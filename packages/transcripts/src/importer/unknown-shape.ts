import { type FormatId, readers } from '../formats/index.js'
import { describe, isObject } from '../json/index.js'
import type { Layout } from '../records/index.js'
import { leastConfidence, type Ranked } from './detect.js'

/**
 * The message for a file that no format knows, or none well enough: what was seen, what comes nearest, how to read it as
 * that, and what is accepted.
 */
export function unknownShape(value: unknown, best: Ranked | undefined): string {
  const ids = nearestFormats(value, best?.format)
  const near = ids.length > 0 ? ` (nearest to ${ids.join(', ')})` : ''
  const accepted = readers.map((format) => `\n  ${format.id}: ${format.accepts}`)
  return `expected a transcript, found ${describe(value)}${near}${best ? doubtOf(best) : ''}. Accepted are${accepted.join('')}`
}

/** Why the nearest format does not read the file. */
function doubtOf({ format, recognized, sampled, confidence }: Ranked): string {
  const records = sampled === 1 ? 'it looks' : `${recognized} of the first ${sampled} records look`
  const measured = `with a confidence of ${confidence.toFixed(2)} (at least ${leastConfidence} is needed)`
  return `; ${records} like ${format}, ${measured}; to read it as ${format}, name the format`
}

/** The message for a file that two formats know equally well. */
export function ambiguousShape(...ids: [FormatId, FormatId]): string {
  return `expected a transcript of one format, found one that may be ${ids.join(' or ')}; name the format`
}

const most = 3

/** The formats whose field names the value bears, and first of them the one that knows most records. */
function nearestFormats(value: unknown, best: FormatId | undefined): FormatId[] {
  const seen = new Set(isObject(value) ? [value, ...Object.values(value)].flatMap(keysOf) : keysOf(value))
  const ranked = readers
    .map(({ id, fields }) => ({ id, shared: fields.filter((field) => seen.has(field)).length }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
  return [...new Set([...(best ? [best] : []), ...ranked.map(({ id }) => id)])].slice(0, most)
}

/** The keys of an object, or of the first element of an array. */
function keysOf(value: unknown): string[] {
  const first = Array.isArray(value) ? value[0] : value
  return isObject(first) ? Object.keys(first) : []
}

/** Why there is nothing to read in a file. */
export function emptyFile(layout: Layout | undefined): string {
  if (layout === 'array') return 'expected a transcript, found an empty array'
  if (typeof layout === 'object') return 'expected a transcript, found a table without rows'
  return 'the file is empty; expected at least one transcript'
}
