import type { Answer } from './call.js'
import { envelope, Refusal } from './refusal.js'
import type { Surface } from './types.js'

/** A refusal as an answer, in the envelope of the surface. */
export function refused(surface: Surface, refusal: Refusal): Answer {
  return {
    status: refusal.status,
    headers: { ...refusal.headers, 'content-type': 'application/json' },
    body: JSON.stringify(envelope(surface, refusal)),
  }
}

/** What is answered where something went wrong that is not the caller's affair. */
export const failed = (surface: Surface): Answer => refused(surface, new Refusal(500, 'The server failed.'))
