import type { Answer } from './call.js'
import { envelope, Refusal } from './refusal.js'
import type { Surface } from './types.js'

/** What an edge answers by itself, without an operation: a refusal in the envelope of the surface. */
export function refused(surface: Surface, refusal: Refusal): Answer {
  return {
    status: refusal.status,
    headers: { ...refusal.headers, 'content-type': 'application/json' },
    body: JSON.stringify(envelope(surface, refusal)),
  }
}

/** In place of an answer that cannot be written, as its headers hold what no header may hold. */
export const unwritable = (surface: Surface): Answer => refused(surface, new Refusal(500, 'The server failed.'))
