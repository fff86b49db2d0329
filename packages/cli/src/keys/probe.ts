import { type CallOptions, ConnectionError, ServiceError, type SvcClient } from '@svc/client'
import type { Surface } from '../config/index.js'

/** The answer of a surface to a key. Surface A never confirms a key: a key that it does not refuse counts as accepted. */
export type Standing = 'accepted' | 'accepted_without_read' | 'refused' | 'revoked' | 'unavailable' | 'unexpected'

/** A standing, and the answer or the failure that it was read from. */
export interface Probed {
  standing: Standing
  status?: number
  error?: unknown
}

/** Asks a surface about the client's key, at no cost: nothing is annotated and nothing is written. */
export async function probe(client: SvcClient, surface: Surface, call: CallOptions): Promise<Probed> {
  try {
    if (surface === 'annotation') await client.batches.get('probe', call)
    else await client.projects.list({ limit: 1 }, call)
    return { standing: 'accepted', status: 200 }
  } catch (error) {
    call.signal?.throwIfAborted()
    if (error instanceof ConnectionError) return { standing: 'unavailable', error }
    if (!(error instanceof ServiceError)) throw error
    return { standing: standingFor(surface, error.status), status: error.status, error }
  }
}

/** Batches answer 501 to every key that is good, and a key that may only write is good, too (interface: Authentication). */
function standingFor(surface: Surface, status: number): Standing {
  if (status === 401) return 'refused'
  if (status === 403) return surface === 'annotation' ? 'revoked' : 'accepted_without_read'
  if (surface === 'annotation' && status === 501) return 'accepted'
  return status === 429 || status >= 500 ? 'unavailable' : 'unexpected'
}

/** A standing in words. */
export const inWords = (surface: Surface, standing: Standing): string =>
  surface === 'annotation' && standing === 'accepted' ? 'accepted (not refused)' : words[standing]

const words: Readonly<Record<Standing, string>> = {
  accepted: 'accepted',
  accepted_without_read: 'accepted, may not read',
  refused: 'refused (401)',
  revoked: 'revoked or disabled (403)',
  unavailable: 'the service does not answer',
  unexpected: 'an unexpected answer',
}

export const isAccepted = (standing: Standing): boolean =>
  standing === 'accepted' || standing === 'accepted_without_read'
