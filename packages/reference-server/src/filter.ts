import { parseInstant } from './iso-date.js'
import type { StoredTranscript } from './records.js'
import { Refusal } from './refusal.js'
import { fold } from './text.js'
import type { Fields } from './transcript-list.js'
import type { World } from './world.js'

/** What a list of transcripts is narrowed by; what is undefined does not narrow it. */
export interface TranscriptFilter extends Fields {
  /** Folded; each must occur in the content of the turns. */
  terms: readonly string[]
  annotation: { key: string; value: string } | undefined
}

const dayMs = 86_400_000

/** Reads the filters of a query; an empty one counts as absent. 400 for a date or an annotation of the wrong form. */
export function readFilter(query: URLSearchParams): TranscriptFilter {
  return {
    terms: fold(query.get('q') ?? '')
      .split(/\s+/)
      .filter((term) => term !== ''),
    model_name: query.get('model_name') || undefined,
    language: query.get('language') || undefined,
    source_system: query.get('source_system') || undefined,
    annotation: annotation(query.get('annotation')),
    from: bound(query, 'date_from'),
    to: bound(query, 'date_to'),
  }
}

/**
 * The transcripts of a project that pass every filter, newest first; `annotationOf` gives what is annotated of one by now
 * under one key.
 */
export function filtered(
  filter: TranscriptFilter,
  projectId: string,
  world: Pick<World, 'transcriptsHaving'>,
  annotationOf: (transcript: StoredTranscript, key: string) => unknown,
): readonly StoredTranscript[] {
  const { terms, annotation, ...fields } = filter
  let left = world.transcriptsHaving(projectId, fields)
  for (const term of terms) left = left.filter((item) => item.holds(term))
  if (annotation === undefined) return left
  return left.filter((item) => hasValue(annotationOf(item, annotation.key), annotation.value))
}

const hasValue = (annotation: unknown, value: string) =>
  ['string', 'number', 'boolean'].includes(typeof annotation) && String(annotation) === value

function annotation(text: string | null): TranscriptFilter['annotation'] {
  if (!text) return undefined
  const colon = text.indexOf(':')
  if (colon < 0) throw new Refusal(400, 'annotation: expected key:value')
  return { key: text.slice(0, colon), value: text.slice(colon + 1) }
}

function bound(query: URLSearchParams, name: 'date_from' | 'date_to'): number | undefined {
  const text = query.get(name)
  if (!text) return undefined
  const instant = parseInstant(text)
  if (!instant) throw new Refusal(400, `${name}: expected an ISO 8601 date or date-time`)
  return name === 'date_to' && instant.dateOnly ? instant.ms + dayMs - 1 : instant.ms
}
