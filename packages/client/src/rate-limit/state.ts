import { longestRetryAfterMs } from '../retry/index.js'

/**
 * The learned rate limit of one key on one surface (interface, Limits: a fixed window per key). Polled, not signalled: a
 * call asks whether it may go, and sleeps on its own timer until it asks again. Pure functions over this state.
 */
export interface LimiterState {
  /** Number of the window; a late answer is not counted into a later window. */
  window: number
  /** No call is admitted before this instant. */
  closedUntil: number
  /** End of the window as the service gave it, 0 before it did; `closedUntil` adds a random spread. */
  resetAt: number
  /** The reset of a refusal over a day away: until `closedUntil` calls are refused, then one probes. Unset once one is accepted. */
  farResetAt?: number | undefined
  /** One probe call goes first after a reset. */
  probing: boolean
  /** When the unanswered trial call was admitted: the probe, or the one call beyond the quota. */
  trialAt?: number | undefined
  /** Start of the window, if known. */
  startedAt?: number | undefined
  /** When its first call was admitted. */
  sentAt: number
  /** Calls admitted in this window and not refused. */
  admitted: number
  /** Calls accepted in the last window that ended in a 429. */
  quota?: number | undefined
  /** Consecutive windows with the same count; negative while another process seems to share the key. */
  stableWindows: number
  /** The time between the last two resets; confirmed once a third reset agrees. */
  windowMs?: number | undefined
  isConfirmed: boolean
  /** The longest wait that the service asked for: a window is at least this long. */
  longestWaitMs: number
  /** The part of the window over which calls are spread, random for each window. */
  spread: number
}

export interface Permit {
  window: number
  as: 'ordinary' | 'probe' | 'extra'
  at: number
}

export type Admission = { state: LimiterState } & ({ permit: Permit } | { waitUntil: number })

/** A probe or extra call that is unanswered for this long counts as accepted: refusals come at once. */
const unansweredMs = 1_000
/** How often a waiting call asks again. */
const pollMs = 10
/** A refusal that no second one confirms is forgotten after this time. */
const forgetAfterMs = 60_000
/** `stableWindows` after a sign that the key is shared. */
const sharedKeyWindows = -3
/** Calls are spread over at most this part of the window: quota that is left then is not used by others. */
const longestSpread = 0.7
/** How often a call is sent while the service asks to wait for more than a day. */
const probeEveryMs = 60_000
/** Resets are given in whole seconds: lengths agree if they differ by less than two roundings. */
const agreementMs = 1_500

export const initialState: LimiterState = {
  window: 0,
  closedUntil: 0,
  resetAt: 0,
  probing: false,
  sentAt: 0,
  admitted: 0,
  stableWindows: 0,
  isConfirmed: false,
  longestWaitMs: 0,
  spread: 0,
}

export const isSharedKey = ({ stableWindows }: LimiterState): boolean => stableWindows < 0

/** Admits a call, or gives the instant to ask again. */
export function admit(before: LimiterState, now: number): Admission {
  if (now < before.closedUntil) return { state: before, waitUntil: before.closedUntil }
  const state = advance(before, now)
  const { window, startedAt, sentAt, admitted, quota, probing, trialAt } = state
  const wait = (waitUntil: number): Admission => ({ state, waitUntil })
  const go = (as: Permit['as']): Admission => ({
    state: {
      ...state,
      startedAt: startedAt ?? now,
      sentAt: admitted ? sentAt : now,
      admitted: admitted + 1,
      probing: as === 'probe',
      trialAt: as === 'ordinary' ? trialAt : now,
    },
    permit: { window, as, at: now },
  })
  // A probe that is unanswered for long: the other calls are refused until the next one.
  if (state.farResetAt !== undefined && trialAt !== undefined && now >= trialAt + unansweredMs) {
    const closedUntil = trialAt + probeEveryMs
    return now < closedUntil ? { state: { ...state, closedUntil }, waitUntil: now + pollMs } : go('probe')
  }
  const isBeyondQuota = quota !== undefined && admitted >= quota
  if (trialAt === undefined) {
    if (probing) return go('probe')
  } else if ((probing || isBeyondQuota) && now < trialAt + unansweredMs) {
    return wait(now + pollMs)
  }
  const nextAt = nextCallAt(state)
  if (now < nextAt) return wait(Math.max(nextAt, now + pollMs))
  return go(isBeyondQuota ? 'extra' : 'ordinary')
}

/** Spreads calls while the count differs from window to window, so that few are in flight when the quota runs out. */
function nextCallAt(state: LimiterState): number {
  const { quota, stableWindows, sentAt, admitted, spread } = state
  if (!quota || stableWindows > 1) return sentAt
  const ms = windowLength(state)
  return sentAt + Math.min(admitted * spread * Math.min(ms / quota, 2 * unansweredMs), longestSpread * ms)
}

const windowLength = ({ windowMs, isConfirmed, longestWaitMs }: LimiterState): number =>
  isConfirmed && windowMs ? windowMs : Math.min(longestWaitMs, forgetAfterMs)

/** Records any answer but 429, or that the call got none. */
export function accepted(state: LimiterState, permit: Permit): LimiterState {
  // A newer trial has replaced one that was unanswered for long.
  if (permit.window !== state.window || permit.as === 'ordinary' || permit.at !== state.trialAt) return state
  const { farResetAt, closedUntil } = state
  const opened = farResetAt === undefined ? closedUntil : 0
  return { ...state, farResetAt: undefined, closedUntil: opened, probing: false, trialAt: undefined }
}

/** Records a 429: the window ends at `resetAt`, and calls are admitted again from `opensAt`. */
export function refused(state: LimiterState, permit: Permit, resetAt: number, opensAt: number): LimiterState {
  // Nothing is learned from such a wait, and it is not believed for long.
  if (resetAt - permit.at > longestRetryAfterMs) {
    const closedUntil = Math.max(state.closedUntil, Math.min(opensAt, permit.at + probeEveryMs))
    return { ...initialState, window: state.window + 1, closedUntil, farResetAt: resetAt, probing: true }
  }
  const closed = {
    ...state,
    farResetAt: undefined,
    closedUntil: Math.max(state.closedUntil, opensAt),
    resetAt: Math.max(state.resetAt, resetAt),
    longestWaitMs: Math.max(state.longestWaitMs, resetAt - permit.at),
    spread: 0.3 + 0.003 * ((opensAt - resetAt) % 100),
  }
  if (permit.window !== state.window) return closed
  const isEarly = permit.as === 'ordinary' && state.quota !== undefined
  const stableWindows = isEarly ? sharedKeyWindows : state.stableWindows
  return { ...closed, admitted: state.admitted - 1, stableWindows }
}

function advance(before: LimiterState, now: number): LimiterState {
  const state = before.resetAt === 0 ? before : { ...endWindow(before, before.resetAt), probing: true }
  const { startedAt = now, isConfirmed, quota, admitted, trialAt } = state
  if (quota === undefined) return state
  // The refusal came from no repeating window, or from a limit that no longer applies.
  if (!isConfirmed && now >= startedAt + forgetAfterMs) return { ...initialState, window: state.window + 1 }
  const ms = windowLength(state)
  if (now < startedAt + ms) return state
  const next = isConfirmed ? newWindow(state, now - ((now - startedAt) % ms)) : state
  const isQuotaLarger = admitted - (trialAt === undefined ? 0 : 1) > quota
  return isQuotaLarger ? { ...next, quota: 2 * admitted, stableWindows: 0 } : next
}

/** Learns quota and length from a window that ended in a 429. */
function endWindow(state: LimiterState, resetAt: number): LimiterState {
  const { admitted, quota, stableWindows, windowMs, startedAt = resetAt } = state
  const next = newWindow(state, resetAt)
  // Only a probe was refused: the window before it was not over yet.
  if (!admitted && state.probing) return next
  const ms = resetAt - startedAt
  const isConfirmed = windowMs !== undefined && Math.abs(windowMs - ms) < agreementMs
  return {
    ...next,
    quota: admitted,
    // Nothing was left: another process used the whole quota.
    stableWindows:
      admitted === 0 ? sharedKeyWindows : admitted === quota ? stableWindows + 1 : Math.min(stableWindows, 0),
    // The first window may have begun before the first call; only the time between two resets is a length.
    ...(state.window > 0 && { windowMs: isConfirmed ? windowMs : ms, isConfirmed }),
  }
}

const newWindow = (state: LimiterState, startedAt: number): LimiterState => ({
  ...state,
  window: state.window + 1,
  resetAt: 0,
  probing: false,
  startedAt,
  admitted: 0,
  trialAt: undefined,
})
