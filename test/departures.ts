import type { Readings } from '@svc/reference-server/core'

/** How an answer may differ from the spec, because the readings of its server say so. */
export interface Departure {
  /** The declared status that it stands for. */
  status: number
  /** The operation need not declare the status: the envelope of the surface is enough. */
  isUndeclared: boolean
  /** What the body must be: the declared one, none, or something that is not looked at. */
  body: 'declared' | 'none' | 'any'
}

const creates = ['projects.create', 'transcripts.upload', 'legacy.createSession', 'legacy.createTranscript']
const uploads = ['transcripts.upload', 'legacy.createTranscript']
const lists = ['projects.list', 'transcripts.list']

/** The departure of an answer with a status; under the default readings there is none. */
export function departureOf(readings: Readings, operation: string | undefined, status: number): Departure {
  const isOf = (operations: readonly string[]) => operation !== undefined && operations.includes(operation)
  const { created, errorBody } = readings
  if (status >= 400) {
    const isUndeclared =
      (isOf(lists) && status === readings.pastEnd) ||
      (operation === 'health' && status === 401 && readings.healthNeedsKey) ||
      (isOf(uploads) && status === 409 && readings.externalIdUnique)
    return { status, isUndeclared, body: errorBody === 'envelope' ? 'declared' : 'any' }
  }
  if (isOf(creates) && status === (created === 'empty' ? 201 : created))
    return { status: 201, isUndeclared: false, body: created === 'empty' ? 'none' : 'declared' }
  const isOther =
    (isOf(lists) && (readings.pagination !== 'full' || readings.total === 'none')) ||
    (operation === 'transcripts.list' && readings.rowFields === 'null metadata') ||
    (operation === 'transcripts.get' && readings.turns === 'redacted')
  return { status, isUndeclared: false, body: isOther ? 'any' : 'declared' }
}
