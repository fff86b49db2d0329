import { accepted, admit, openGate, refused } from './gate.js'

/** A fixed-window service: `quota` calls in each window of `windowMs`, aligned or beginning with its first call. */
export function service(quota: number | ((now: number) => number), windowMs: number, aligned: boolean) {
  let startedAt = Number.NEGATIVE_INFINITY
  const windows: { accepted: number; refused: number }[] = []
  return {
    windows,
    /** Undefined when the call is accepted, else the reset as `Retry-After` tells it: in whole seconds, rounded up. */
    call(now: number): number | undefined {
      if (now >= startedAt + windowMs) {
        startedAt = aligned ? Math.floor(now / windowMs) * windowMs : now
        windows.push({ accepted: 0, refused: 0 })
      }
      const window = windows.at(-1) ?? { accepted: 0, refused: 0 }
      if (window.accepted < (typeof quota === 'number' ? quota : quota(now))) {
        window.accepted++
        return undefined
      }
      window.refused++
      return now + Math.ceil((startedAt + windowMs - now) / 1_000) * 1_000
    },
  }
}

export interface Load {
  processes: number
  concurrency: number
  latencyMs: number
  untilMs: number
  spread: () => number
}

/** Processes that call as fast as their gates let them, on a clock that jumps from event to event. */
export function simulate(
  target: ReturnType<typeof service>,
  { processes, concurrency, latencyMs, untilMs, spread }: Load,
): void {
  /** The next one last; of those of one instant the first that was added. */
  const events: { at: number; run: (now: number) => void }[] = []
  const at = (time: number, run: (now: number) => void): void => {
    let [low, high] = [0, events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((events[middle]?.at ?? 0) > time) low = middle + 1
      else high = middle
    }
    events.splice(low, 0, { at: time, run })
  }
  for (let p = 0; p < processes; p++) {
    let state = openGate
    const worker = (now: number): void => {
      const admission = admit(state, now)
      state = admission.state
      if ('waitUntil' in admission) return void at(Math.max(admission.waitUntil, now + 1), worker)
      const { ticket } = admission
      const resetAt = target.call(now)
      const answered = (then: number) => {
        if (resetAt === undefined) state = accepted(state, ticket)
        else state = refused(state, ticket, resetAt, resetAt + spread() * Math.min((resetAt - then) * 0.2, 2_000))
        worker(then)
      }
      // A refusal costs the service no work, so it comes at once.
      at(now + (resetAt === undefined ? latencyMs : 1), answered)
    }
    for (let c = 0; c < concurrency; c++) at(p, worker)
  }
  for (;;) {
    const next = events.pop()
    if (!next || next.at >= untilMs) return
    next.run(next.at)
  }
}

/** Chance that comes out the same in each run. */
export function dice(seed: number): () => number {
  let state = seed * 7_919
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
}
