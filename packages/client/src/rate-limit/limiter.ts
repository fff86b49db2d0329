import { type Clock, sleep } from '../clock.js'
import { accepted, admit, type GateState, openGate, refused, type Ticket } from './state.js'

/** The gate of one credential on one surface, shared by every call and every derived client. */
export interface Gate {
  state: GateState
}

export const newGate = (): Gate => ({ state: openGate })

/** How long a call may wait at the gate, and who is told that it does. */
export interface Patience {
  clock: Clock
  deadlineAt: number
  /** The longest closure that is waited for, in milliseconds. */
  longestMs: number
  signal: AbortSignal | undefined
  waiting: (ms: number) => void
}

/** Waits until the gate lets a call through, or gives the instant to come back when that is too far away. */
export async function pass(gate: Gate, patience: Patience): Promise<Ticket | { closedUntil: number }> {
  const { clock, signal } = patience
  let told = 0
  for (;;) {
    const now = clock.now()
    const admission = admit(gate.state, now)
    gate.state = admission.state
    if ('ticket' in admission) return admission.ticket
    const { waitUntil } = admission
    // The time to ask again, for a turn or after a probe, is no closure.
    const closed = waitUntil === gate.state.closedUntil
    if (waitUntil >= patience.deadlineAt || (closed && gate.state.resetAt - now > patience.longestMs)) {
      return { closedUntil: waitUntil }
    }
    // A timer may come a little early, and a clock that shows whole milliseconds lags behind: then the rest is waited too.
    if (closed && waitUntil !== told) patience.waiting(waitUntil - now)
    told = waitUntil
    await sleep(clock, Math.ceil(waitUntil - now), signal)
  }
}

/** Tells the gate what became of a call that it let through: when the window ends where it was refused by rate. */
export function report(gate: Gate, ticket: Ticket, refusal?: { resetAt: number; opensAt: number }): void {
  gate.state = refusal ? refused(gate.state, ticket, refusal.resetAt, refusal.opensAt) : accepted(gate.state, ticket)
}

/** What a client has learned of one key's rate limit; the interface publishes no numbers (interface: Limits). */
export interface RateLimit {
  /** No call goes before this time; undefined while the gate is open. */
  closedUntil: Date | undefined
  /** Calls let through in the current window and not refused. */
  admitted: number
  /** Calls that were accepted in the last window that ended in a refusal; undefined while none has. */
  quota: number | undefined
  /** Length of the window in milliseconds; undefined until two resets agreed. */
  windowMs: number | undefined
  /** Whether refusals came that this client's own calls do not explain: somebody else uses the same key. */
  shared: boolean
}

export function rateLimitOf({ state }: Gate, now: number): RateLimit {
  return {
    closedUntil: state.closedUntil > now ? new Date(state.closedUntil) : undefined,
    admitted: state.admitted,
    quota: state.quota,
    windowMs: state.agreed ? state.windowMs : undefined,
    shared: state.alike < 0,
  }
}
