import type { Ambiguities } from '@svc/reference-server/core'

/** How an answer may differ from the spec, because the readings of its server say so. */
export interface Departure {
  /** The declared status that it stands for. */
  status: number
  /** The operation need not declare the status: the envelope of the surface is enough. */
  isUndeclared: boolean
  /** The expected body: the declared one, none, or any. */
  body: 'declared' | 'none' | 'any'
}

const creates = ['projects.create', 'transcripts.upload', 'legacy.createSession', 'legacy.createTranscript']
const uploads = ['transcripts.upload', 'legacy.createTranscript']
const lists = ['projects.list', 'transcripts.list']

/** The departure of an answer with a status; under the default readings there is none. */
export function departureOf(ambiguities: Ambiguities, operation: string | undefined, status: number): Departure {
  const isOf = (operations: readonly string[]) => operation !== undefined && operations.includes(operation)
  const { created, errorBody } = ambiguities
  if (status >= 400) {
    const isUndeclared =
      (isOf(lists) && status === ambiguities.pastEnd) ||
      (operation === 'health' && status === 401 && ambiguities.healthNeedsKey) ||
      (isOf(uploads) && status === 409 && ambiguities.externalIdUnique)
    return { status, isUndeclared, body: errorBody === 'envelope' ? 'declared' : 'any' }
  }
  if (isOf(creates) && status === (created === 'empty' ? 201 : created))
    return { status: 201, isUndeclared: false, body: created === 'empty' ? 'none' : 'declared' }
  const isOther =
    (isOf(lists) && (ambiguities.pagination !== 'full' || ambiguities.total === 'none')) ||
    (operation === 'transcripts.list' && ambiguities.rowFields === 'null metadata') ||
    (operation === 'transcripts.get' && ambiguities.turns === 'redacted')
  return { status, isUndeclared: false, body: isOther ? 'any' : 'declared' }
}
