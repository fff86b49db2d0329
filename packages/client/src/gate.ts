/**
 * What one credential knows of its rate limit on one surface (interface, Limits: a fixed window per key). Polled, not
 * signalled: a call asks whether it may go, and sleeps on its own timer until it asks again. Pure: state in, state out.
 */
export interface GateState {
  /** Numbers the windows, so that late answers are not counted into a later one. */
  window: number
  /** No call goes before this instant. */
  closedUntil: number
  /** When the service said that the window ends; `closedUntil` may lie a spread later. */
  resetAt: number | undefined
  /** After a reset, one probe goes first; when it went, and undefined while none has. */
  probe: { since: number | undefined } | undefined
  startedAt: number | undefined
  /** Calls let through in this window, and how many of them were refused. */
  admitted: number
  refused: number
  /** Calls that were accepted in the last window that ended in a refusal; undefined while none has. */
  quota: number | undefined
  /** As many calls as may go side by side in a window; the rest goes one by one. */
  abreast: number
  /** How often in a row as many calls were accepted as in the window before. */
  alike: number
  /** A refusal came before the quota was used: somebody else uses the same key. */
  early: boolean
  /** The key has been seen to be shared. */
  shared: boolean
  /** The one call beyond the quota that is being tried, since when. */
  extraSince: number | undefined
  /** The time between two resets, and whether a second one agreed. */
  length: { ms: number; agreed: boolean } | undefined
}

/** What a call was let through as. */
export interface Ticket {
  window: number
  as: 'ordinary' | 'probe' | 'extra'
  /** When it was let through. */
  at: number
}

export type Admission = { state: GateState } & ({ ticket: Ticket } | { waitUntil: number })

/** How long a probe or an extra call may be unanswered before it counts as accepted: refusals come at once. */
const unansweredMs = 1_000
/** How often a waiting call asks again while a probe is under way. */
const pollMs = 50
/** How long a refusal is remembered where no other confirms it. */
const forgottenMs = 60_000
/** Resets are told in whole seconds, so lengths that differ by less than two of their roundings agree. */
const agreementMs = 1_500

export const openGate: GateState = {
  window: 0,
  closedUntil: Number.NEGATIVE_INFINITY,
  resetAt: undefined,
  probe: undefined,
  startedAt: undefined,
  admitted: 0,
  refused: 0,
  shared: false,
  quota: undefined,
  abreast: Number.POSITIVE_INFINITY,
  alike: 0,
  early: false,
  extraSince: undefined,
  length: undefined,
}

/** Whether a call may go now, or when to ask again. */
export function admit(before: GateState, now: number): Admission {
  if (now < before.closedUntil) return { state: before, waitUntil: before.closedUntil }
  const state = turned(before, now)
  const go = (as: Ticket['as'], probe?: GateState['probe'], extraSince = state.extraSince): Admission => ({
    // Assigned: what is named behind a spread V8 adds slowly, and each request comes by here.
    state: Object.assign({}, state, {
      startedAt: state.startedAt ?? now,
      admitted: state.admitted + 1,
      probe,
      extraSince,
    }),
    ticket: { window: state.window, as, at: now },
  })
  if (state.probe) {
    const { since } = state.probe
    if (since === undefined) return go('probe', { since: now })
    if (now < since + unansweredMs) return { state, waitUntil: Math.min(now + pollMs, since + unansweredMs) }
  }
  if (state.admitted < state.abreast) return go('ordinary')
  if (state.extraSince !== undefined && now < state.extraSince + unansweredMs) {
    return { state, waitUntil: Math.min(now + pollMs, state.extraSince + unansweredMs) }
  }
  return go('extra', undefined, now)
}

/** The call of this ticket had any answer but 429, or none. */
export function accepted(state: GateState, ticket: Ticket): GateState {
  if (ticket.window !== state.window) return state
  if (ticket.as === 'probe') return { ...state, probe: undefined }
  // An extra call that was unanswered for long has been followed by another, which this answer does not speak of.
  return ticket.as === 'extra' && ticket.at === state.extraSince ? { ...state, extraSince: undefined } : state
}

/** The call of this ticket was answered with 429: the window ends at `resetAt`, and the gate opens at `opensAt`. */
export function refused(state: GateState, ticket: Ticket, resetAt: number, opensAt: number): GateState {
  const closed = {
    ...state,
    closedUntil: Math.max(state.closedUntil, opensAt),
    resetAt: Math.max(state.resetAt ?? resetAt, resetAt),
  }
  if (ticket.window !== state.window) return closed
  const early = ticket.as === 'ordinary' && state.quota !== undefined
  return { ...closed, refused: state.refused + 1, early: state.early || early }
}

/** The state at the beginning of a new window, where one has begun; what the last one taught is taken along. */
function turned(before: GateState, now: number): GateState {
  const state =
    before.resetAt === undefined ? before : { ...learned(before, before.resetAt), probe: { since: undefined } }
  const { startedAt, length, quota, admitted, abreast } = state
  if (quota === undefined || startedAt === undefined) return state
  // It was no window that repeats, or a limit that does not bind.
  if (!length?.agreed && now >= startedAt + forgottenMs) {
    return { ...fresh(state, now), quota: undefined, abreast: Number.POSITIVE_INFINITY, alike: 0, shared: false }
  }
  if (!length?.agreed || now < startedAt + length.ms) return state
  const next = fresh(state, now - ((now - startedAt) % length.ms))
  // More was let through than was known to be accepted, and all of it was: the limit is another.
  return admitted > abreast ? { ...next, quota: Math.max(quota, admitted), abreast: 2 * admitted } : next
}

function learned(state: GateState, resetAt: number): GateState {
  const next = fresh(state, resetAt)
  const count = state.admitted - state.refused
  // Nothing but a refused probe: the window before was not over yet, and there is nothing to learn.
  if (count <= 0 && state.refused === 1) return next
  // Somebody else had used it all up.
  if (count <= 0) return { ...next, quota: 0, abreast: 1, shared: true }
  const ms = state.startedAt === undefined ? undefined : resetAt - state.startedAt
  const known = state.length
  const agreed = known !== undefined && ms !== undefined && Math.abs(known.ms - ms) <= agreementMs
  return {
    ...next,
    quota: count,
    abreast: nextAbreast(state, count),
    alike: count === state.quota ? state.alike + 1 : 0,
    shared: state.shared || state.early,
    // A window that was met half-way is short; only the time between two resets is a length.
    length: ms === undefined || state.window === 0 ? known : { ms: agreed ? known.ms : ms, agreed },
  }
}

/**
 * All of what was accepted goes side by side once two windows took equally many, as they do for a key of one's own. Else
 * half of it, so that few calls are under way when the quota is used up: half again after an early refusal, then one more
 * a window.
 */
function nextAbreast({ quota, abreast, alike, early, shared }: GateState, count: number): number {
  if (early) return Math.floor(Math.min(abreast, count) / 2)
  if (shared) return Math.min(abreast + 1, Math.floor(count / 2))
  return count === quota && alike > 0 ? count : Math.floor(count / 2)
}

const fresh = (state: GateState, startedAt: number): GateState => ({
  ...state,
  window: state.window + 1,
  resetAt: undefined,
  probe: undefined,
  startedAt,
  admitted: 0,
  refused: 0,
  early: false,
  extraSince: undefined,
})
