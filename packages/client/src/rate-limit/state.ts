/**
 * What one credential knows of its rate limit on one surface (interface, Limits: a fixed window per key). Polled, not
 * signalled: a call asks whether it may go, and sleeps on its own timer until it asks again. Pure: state in, state out.
 */
export interface GateState {
  /** Numbers the windows, so that late answers are not counted into a later one. */
  window: number
  /** No call goes before this instant. */
  closedUntil: number
  /** When the service said that the window ends, 0 before it has; `closedUntil` may lie a spread later. */
  resetAt: number
  /** After a reset, one probe goes first. */
  probing: boolean
  /** When the probe went that is under way, or the one call beyond the quota that is being tried. */
  triedAt: number | undefined
  /** When the window began, as far as is known. */
  startedAt: number | undefined
  /** When its first call was sent. */
  sentAt: number
  /** Calls let through in this window and not refused. */
  admitted: number
  /** Calls that were accepted in the last window that ended in a refusal; undefined while none has. */
  quota: number | undefined
  /**
   * How often in a row as many calls were accepted as in the window before. Below zero where a refusal came before the
   * quota was used: somebody else uses the same key.
   */
  alike: number
  /** The time between two resets, undefined while there were not two, and whether a third one agreed. */
  windowMs: number | undefined
  agreed: boolean
  /** The longest wait that was told: a window is at least so long. */
  longestMs: number
  /** The part of a window over which calls are spread: another one in each window, drawn from the spread of its opening. */
  pace: number
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
/** How often a call asks again that waits for the answer of another, or with others for its turn. */
const pollMs = 10
/** How long a refusal is remembered where no other confirms it. */
const forgottenMs = 60_000
/** `alike` of a key that others use, too. */
const notAlone = -3
/** The part of a window after which calls beyond the quota are spread no more: what is there, others have left. */
const leftOver = 0.7
/** Resets are told in whole seconds, so lengths that differ by less than two of their roundings agree. */
const agreementMs = 1_500

export const openGate: GateState = {
  window: 0,
  closedUntil: 0,
  resetAt: 0,
  probing: false,
  startedAt: undefined,
  sentAt: 0,
  admitted: 0,
  quota: undefined,
  alike: 0,
  triedAt: undefined,
  windowMs: undefined,
  agreed: false,
  longestMs: 0,
  pace: 0,
}

/** Whether a call may go now, or when to ask again. */
export function admit(before: GateState, now: number): Admission {
  if (now < before.closedUntil) return { state: before, waitUntil: before.closedUntil }
  const state = turned(before, now)
  const { window, startedAt, sentAt, admitted, quota, probing, triedAt } = state
  const wait = (waitUntil: number): Admission => ({ state, waitUntil })
  const go = (as: Ticket['as']): Admission => ({
    state: {
      ...state,
      startedAt: startedAt ?? now,
      sentAt: admitted ? sentAt : now,
      admitted: admitted + 1,
      probing: as === 'probe',
      triedAt: as === 'ordinary' ? triedAt : now,
    },
    ticket: { window, as, at: now },
  })
  const isBeyond = quota !== undefined && admitted >= quota
  if (triedAt === undefined) {
    if (probing) return go('probe')
  } else if ((probing || isBeyond) && now < triedAt + unansweredMs) {
    return wait(now + pollMs)
  }
  const due = dueAt(state)
  if (now < due) return wait(Math.max(due, now + pollMs))
  return go(isBeyond ? 'extra' : 'ordinary')
}

/**
 * When the next call is due. Where another number of calls was accepted in each window, others use the key too, and nobody
 * knows when the quota is used up: the calls are spread, so that few are under way then, but hardly further than one is in
 * doubt. What is one's own goes at once.
 */
function dueAt(state: GateState): number {
  const { quota, alike, sentAt, admitted, pace } = state
  if (!quota || alike > 1) return sentAt
  const ms = lengthOf(state)
  return sentAt + Math.min(admitted * pace * Math.min(ms / quota, 2 * unansweredMs), leftOver * ms)
}

/** The length of a window, or what is known of it. A refusal that is forgotten after a minute spreads no further. */
const lengthOf = ({ windowMs, agreed, longestMs }: GateState): number =>
  agreed && windowMs ? windowMs : Math.min(longestMs, forgottenMs)

/** The call of this ticket had any answer but 429, or none. */
export function accepted(state: GateState, ticket: Ticket): GateState {
  // A trial that was unanswered for long has been followed by another, which this answer does not speak of.
  if (ticket.window !== state.window || ticket.as === 'ordinary' || ticket.at !== state.triedAt) return state
  return { ...state, probing: false, triedAt: undefined }
}

/** The call of this ticket was answered with 429: the window ends at `resetAt`, and the gate opens at `opensAt`. */
export function refused(state: GateState, ticket: Ticket, resetAt: number, opensAt: number): GateState {
  const closed = {
    ...state,
    closedUntil: Math.max(state.closedUntil, opensAt),
    resetAt: Math.max(state.resetAt, resetAt),
    longestMs: Math.max(state.longestMs, resetAt - ticket.at),
    pace: 0.3 + 0.003 * ((opensAt - resetAt) % 100),
  }
  if (ticket.window !== state.window) return closed
  const early = ticket.as === 'ordinary' && state.quota !== undefined
  return { ...closed, admitted: state.admitted - 1, alike: early ? notAlone : state.alike }
}

/** The state at the beginning of a new window, where one has begun; what the last one taught is taken along. */
function turned(before: GateState, now: number): GateState {
  const state = before.resetAt === 0 ? before : { ...learned(before, before.resetAt), probing: true }
  const { startedAt = now, agreed, quota, admitted, triedAt } = state
  if (quota === undefined) return state
  // It was no window that repeats, or a limit that does not bind.
  if (!agreed && now >= startedAt + forgottenMs) return { ...openGate, window: state.window + 1 }
  const ms = lengthOf(state)
  if (now < startedAt + ms) return state
  const next = agreed ? fresh(state, now - ((now - startedAt) % ms)) : state
  const more = admitted - (triedAt === undefined ? 0 : 1) > quota
  // More was let through than was known to be accepted, and all of it was: the limit is another.
  return more ? { ...next, quota: 2 * admitted, alike: 0 } : next
}

function learned(state: GateState, resetAt: number): GateState {
  const { admitted, quota, alike, windowMs, startedAt = resetAt } = state
  const next = fresh(state, resetAt)
  // Nothing but a refused probe: the window before was not over yet, and there is nothing to learn.
  if (!admitted && state.probing) return next
  const ms = resetAt - startedAt
  const agreed = windowMs !== undefined && Math.abs(windowMs - ms) < agreementMs
  return {
    ...next,
    quota: admitted,
    // Where there was nothing left, somebody else had used it all up.
    alike: admitted === 0 ? notAlone : admitted === quota ? alike + 1 : Math.min(alike, 0),
    // A window that was met half-way is short; only the time between two resets is a length.
    ...(state.window > 0 && { windowMs: agreed ? windowMs : ms, agreed }),
  }
}

const fresh = (state: GateState, startedAt: number): GateState => ({
  ...state,
  window: state.window + 1,
  resetAt: 0,
  probing: false,
  startedAt,
  admitted: 0,
  triedAt: undefined,
})
