import type { Surface } from './operation.js'
import { type Gate, newGate } from './turnstile.js'

/** What a client learns and remembers; shared by the clients that are derived from it. */
export interface ClientState {
  /** The gate of each surface's key. */
  gates: Record<Surface, Gate>
  /** Surfaces whose key was warned of. */
  warned: Set<Surface>
  /** What each write in flight is known by: its stamp, or what it would store. */
  inFlight: Set<() => string>
  /** What writes are known by that may have left a record nobody was given, the latest 1 000 of them or more. */
  unresolved: Set<string>
  /** Records that this client's writes stored, the latest 10 000 or more. */
  ownRecordIds: Set<string>
}

export const newState = (): ClientState => ({
  gates: { annotation: newGate(), workspace: newGate() },
  warned: new Set(),
  inFlight: new Set(),
  unresolved: new Set(),
  ownRecordIds: new Set(),
})
