import { type FormatId, readers } from '../formats/index.js'
import { describe, isObject } from '../json/index.js'
import type { Layout } from '../records/index.js'
import { minConfidence, type Ranked } from './detect.js'

/** The message for a file that no format recognizes well enough: what was found, the nearest formats, all accepted shapes. */
export function unknownFormat(value: unknown, best: Ranked | undefined): string {
  const ids = nearestFormats(value, best?.format)
  const near = ids.length > 0 ? ` (nearest to ${ids.join(', ')})` : ''
  const accepted = readers.map((format) => `\n  ${format.id}: ${format.accepts}`)
  return `expected a transcript, found ${describe(value)}${near}${best ? lowConfidence(best) : ''}. Accepted are${accepted.join('')}`
}

function lowConfidence({ format, recognized, sampled, confidence }: Ranked): string {
  const records = sampled === 1 ? 'it looks' : `${recognized} of the first ${sampled} records look`
  const measured = `with a confidence of ${confidence.toFixed(2)} (at least ${minConfidence} is needed)`
  return `; ${records} like ${format}, ${measured}; to read it as ${format}, name the format`
}

/** The message for a file that two formats recognize equally well. */
export function ambiguousFormat(...ids: [FormatId, FormatId]): string {
  return `expected a transcript of one format, found one that may be ${ids.join(' or ')}; name the format`
}

const maxNearest = 3

/** The format that recognizes most records, then the formats that share most field names with the value. */
function nearestFormats(value: unknown, best: FormatId | undefined): FormatId[] {
  const found = new Set(isObject(value) ? [value, ...Object.values(value)].flatMap(keysOf) : keysOf(value))
  const ranked = readers
    .map(({ id, fields }) => ({ id, shared: fields.filter((field) => found.has(field)).length }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
  return [...new Set([...(best ? [best] : []), ...ranked.map(({ id }) => id)])].slice(0, maxNearest)
}

/** The keys of an object, or of the first element of an array. */
function keysOf(value: unknown): string[] {
  const first = Array.isArray(value) ? value[0] : value
  return isObject(first) ? Object.keys(first) : []
}

/** The message for a file without records. */
export function emptyFile(layout: Layout | undefined): string {
  if (layout === 'array') return 'expected a transcript, found an empty array'
  if (typeof layout === 'object') return 'expected a transcript, found a table without rows'
  return 'the file is empty; expected at least one transcript'
}
