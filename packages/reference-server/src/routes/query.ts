import { type Ambiguities, defaultAmbiguities } from '../ambiguities/index.js'
import { Refusal } from '../refusal.js'
import type { Pagination } from '../types.js'
import { fold, parseInstant } from '../validation/index.js'
import type { StoredTranscript } from '../world/index.js'

type Page = Pick<Pagination, 'page' | 'limit'>

export const pageParameters: readonly string[] = ['page', 'limit']
const filterParameters: readonly string[] = [
  'q',
  'model_name',
  'language',
  'source_system',
  'annotation',
  'date_from',
  'date_to',
]

export const listParameters: readonly string[] = [...pageParameters, ...filterParameters]

/** Read a query. Throws a 400 if one of these parameters is repeated; lenient: its first value counts. */
export function readQuery(
  text: string | URLSearchParams,
  parameters: readonly string[],
  lenient: boolean,
): URLSearchParams {
  const query = typeof text === 'string' ? new URLSearchParams(text) : text
  const counts = parameters.map((name) => [name, query.getAll(name).length] as const)
  const repeated = counts.filter(([, count]) => !lenient && count > 1)
  if (repeated.length === 0) return query
  throw new Refusal(400, repeated.map(([name, count]) => `${name}: expected one value, found ${count}`).join('; '))
}

/** Read `page` (default 1) and `limit` (default 20, max 100). A value out of bounds is a 400; lenient: the nearest bound. */
export function readPage(query: URLSearchParams, lenient: boolean): Page {
  const integer = (name: string, fallback: number, max: number, expected: string) => {
    const text = query.get(name)
    if (text === null) return fallback
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= 1 && value <= max) return value
    if (lenient) return Number.isNaN(value) ? fallback : Math.min(Math.max(value, 1), max)
    throw new Refusal(400, `${name}: expected an integer from ${expected}`)
  }
  return { page: integer('page', 1, Number.MAX_SAFE_INTEGER, '1'), limit: integer('limit', 20, 100, '1 to 100') }
}

/** The problem of the values of a query, as the interface shows its parameters. */
export function queryProblem(query: URLSearchParams, parameters: readonly string[]): string | undefined {
  try {
    readQuery(query, parameters, false)
    if (parameters.includes('page')) readPage(query, false)
    if (parameters.includes('q')) readFilter(query, defaultAmbiguities)
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
  return undefined
}

/** The filters of a list of transcripts; an undefined one matches all. */
interface TranscriptFilter {
  /** Folded words; each must occur in the content of the turns. */
  terms: readonly string[]
  model_name: string | undefined
  language: string | undefined
  source_system: string | undefined
  annotation: { key: string; value: string } | undefined
  /** Inclusive bounds on the source timestamp, in milliseconds since the epoch. */
  from: number | undefined
  to: number | undefined
}

const dayMs = 86_400_000

/**
 * Read the filters of a query; an empty one counts as absent. Undefined without any. Throws a 400 for a malformed date or
 * annotation, and for every filter that a reading refuses.
 */
export function readFilter(query: URLSearchParams, ambiguities: Ambiguities): TranscriptFilter | undefined {
  const { filters, lenientQueries } = ambiguities
  const names = filterParameters.filter((name) => query.get(name))
  if (names.length === 0 || filters === 'ignored') return undefined
  if (filters === 'refused') throw new Refusal(400, names.map((name) => `${name}: no such filter`).join('; '))
  return {
    terms: fold(query.get('q') ?? '')
      .split(/\s+/)
      .filter((term) => term !== ''),
    model_name: query.get('model_name') || undefined,
    language: query.get('language') || undefined,
    source_system: query.get('source_system') || undefined,
    annotation: annotation(query.get('annotation'), lenientQueries),
    from: bound(query, 'date_from', filters === 'days only'),
    to: bound(query, 'date_to', filters === 'days only'),
  }
}

/** True if a transcript passes every filter. `annotationOf` returns the current annotation with a key. */
export function matches(
  filter: TranscriptFilter,
  transcript: StoredTranscript,
  annotationOf: (transcript: StoredTranscript, key: string) => unknown,
): boolean {
  const { terms, model_name, language, source_system, annotation } = filter
  const { record } = transcript
  return (
    (model_name === undefined || record.model_name === model_name) &&
    (language === undefined || record.language === language) &&
    (source_system === undefined || record.source_system === source_system) &&
    isWithin(record.source_timestamp, filter) &&
    terms.every((term) => foldedText(transcript).includes(term)) &&
    (annotation === undefined || hasValue(annotationOf(transcript, annotation.key), annotation.value))
  )
}

function isWithin(timestamp: string | null, { from, to }: TranscriptFilter): boolean {
  if (from === undefined && to === undefined) return true
  if (timestamp === null) return false
  const ms = Date.parse(timestamp)
  return ms >= (from ?? Number.NEGATIVE_INFINITY) && ms <= (to ?? Number.POSITIVE_INFINITY)
}

const foldedTexts = new WeakMap<StoredTranscript, string>()

/** The folded content of all turns, computed by the first search. A line break, which no term contains, separates turns. */
function foldedText(transcript: StoredTranscript): string {
  let text = foldedTexts.get(transcript)
  if (text === undefined) {
    text = fold(transcript.turns.map(({ content }) => content).join('\n'))
    foldedTexts.set(transcript, text)
  }
  return text
}

const hasValue = (annotation: unknown, value: string) =>
  ['string', 'number', 'boolean'].includes(typeof annotation) && String(annotation) === value

function annotation(text: string | null, lenient: boolean): TranscriptFilter['annotation'] {
  if (!text) return undefined
  const colon = text.indexOf(':')
  if (colon < 0) throw new Refusal(400, 'annotation: expected key:value')
  if (colon === 0 && !lenient) throw new Refusal(400, 'annotation: expected key:value, found no key before the colon')
  return { key: text.slice(0, colon), value: text.slice(colon + 1) }
}

function bound(query: URLSearchParams, name: 'date_from' | 'date_to', daysOnly: boolean): number | undefined {
  const text = query.get(name)
  if (!text) return undefined
  const instant = parseInstant(text)
  if (!instant) throw new Refusal(400, `${name}: expected an ISO 8601 date or date-time`)
  if (daysOnly && !instant.dateOnly) throw new Refusal(400, `${name}: expected a date without a time`)
  return name === 'date_to' && instant.dateOnly ? instant.ms + dayMs - 1 : instant.ms
}
