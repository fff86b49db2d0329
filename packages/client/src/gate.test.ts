import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Admission, accepted, admit, type GateState, openGate, refused, type Ticket } from './gate.js'

const ticketOf = (admission: Admission): Ticket =>
  'ticket' in admission ? admission.ticket : expect.unreachable('it was not let through')
const waitOf = (admission: Admission): number =>
  'waitUntil' in admission ? admission.waitUntil : expect.unreachable('it was let through')

/** Lets a call through and closes the gate with its refusal. */
function closedAt(now: number, resetAt: number, before: GateState = openGate): GateState {
  const admission = admit(before, now)
  return refused(admission.state, ticketOf(admission), resetAt, resetAt)
}

/** A gate that has seen so many calls accepted in a window that has ended at 5 000. */
function knowing(count: number): GateState {
  let state = openGate
  for (let i = 0; i < count; i++) state = admit(state, i).state
  return closedAt(count, 5_000, state)
}

describe('the gate', () => {
  it('lets everything through while it knows nothing', () => {
    let state = openGate
    for (let i = 0; i < 1_000; i++) {
      const admission = admit(state, i)
      expect(ticketOf(admission).as).toBe('ordinary')
      state = admission.state
    }
  })

  it('closes on a refusal until the reset, for everybody', () => {
    const state = closedAt(0, 5_000)
    expect(waitOf(admit(state, 1))).toBe(5_000)
    expect(waitOf(admit(state, 4_999))).toBe(5_000)
  })

  it('sends one probe first, and the rest when it is answered', () => {
    const probe = admit(closedAt(0, 5_000), 5_000)
    expect(ticketOf(probe).as).toBe('probe')
    expect(waitOf(admit(probe.state, 5_010))).toBe(5_060)
    const open = accepted(probe.state, ticketOf(probe))
    expect(ticketOf(admit(open, 5_020))).toBeDefined()
  })

  it('sends the rest also when the probe is unanswered for a second', () => {
    const probe = admit(closedAt(0, 5_000), 5_000)
    expect(waitOf(admit(probe.state, 5_990))).toBe(6_000)
    expect(ticketOf(admit(probe.state, 6_000))).toBeDefined()
  })

  it('closes again when the probe is refused, and learns nothing from that', () => {
    const probe = admit(knowing(5), 5_000)
    const again = refused(probe.state, ticketOf(probe), 6_000, 6_000)
    expect(waitOf(admit(again, 5_500))).toBe(6_000)
    expect(admit(again, 6_000).state.quota).toBe(5)
  })

  it('lets through as many as it knows to be accepted, and beyond them one at a time', () => {
    let state = knowing(3)
    for (const as of ['probe', 'ordinary', 'ordinary']) {
      const admission = admit(state, 5_000)
      expect(ticketOf(admission).as).toBe(as)
      state = accepted(admission.state, ticketOf(admission))
    }
    const extra = admit(state, 5_000)
    expect(ticketOf(extra).as).toBe('extra')
    expect(waitOf(admit(extra.state, 5_100))).toBe(5_150)
    // Unanswered for a second, it counts as accepted; its late answer says nothing of the next one.
    const next = admit(extra.state, 6_000)
    expect(ticketOf(next).as).toBe('extra')
    expect(waitOf(admit(accepted(next.state, ticketOf(extra)), 6_001))).toBe(6_051)
  })

  it('takes an early refusal for the sign of a shared key, and halves what it lets through side by side', () => {
    let state = knowing(10)
    for (let i = 0; i < 6; i++) {
      const admission = admit(state, 5_000)
      state = accepted(admission.state, ticketOf(admission))
    }
    const early = admit(state, 5_000)
    const next = admit(refused(early.state, ticketOf(early), 9_000, 9_000), 9_000).state
    expect([next.quota, next.shared]).toEqual([3, true])
  })

  it('ignores the answers of an earlier window', () => {
    const late = admit(openGate, 0)
    const probe = admit(closedAt(0, 5_000, late.state), 5_000)
    expect(accepted(probe.state, ticketOf(late))).toBe(probe.state)
  })
})

/** A fixed-window service: `quota` calls in each window of `windowMs`, aligned or beginning with its first call. */
function service(quota: number | ((now: number) => number), windowMs: number, aligned: boolean) {
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

interface Load {
  processes: number
  concurrency: number
  latencyMs: number
  untilMs: number
  spread: () => number
}

/** Processes that call as fast as their gates let them, on a clock that jumps from event to event. */
function simulate(
  target: ReturnType<typeof service>,
  { processes, concurrency, latencyMs, untilMs, spread }: Load,
): void {
  const events: { at: number; order: number; run: (now: number) => void }[] = []
  let order = 0
  const at = (time: number, run: (now: number) => void) => events.push({ at: time, order: order++, run })
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
    events.sort((a, b) => a.at - b.at || a.order - b.order)
    const next = events.shift()
    if (!next || next.at >= untilMs) return
    next.run(next.at)
  }
}

describe('under a fixed window', () => {
  const chance = () => 0.3

  it.each([true, false])('one process uses the quota and is refused once a window (aligned: %s)', (aligned) => {
    const target = service(200, 10_000, aligned)
    simulate(target, { processes: 1, concurrency: 8, latencyMs: 20, untilMs: 68_000, spread: chance })
    for (const window of target.windows.slice(1, 6)) {
      expect(window.accepted).toBeGreaterThanOrEqual(194)
      expect(window.refused).toBeLessThanOrEqual(1)
    }
  })

  it('one process with slow answers does so in windows of a minute', () => {
    const target = service(60, 60_000, true)
    simulate(target, { processes: 1, concurrency: 40, latencyMs: 20_000, untilMs: 400_000, spread: chance })
    for (const window of target.windows.slice(1, 6)) {
      expect(window.accepted).toBeGreaterThanOrEqual(58)
      expect(window.refused).toBeLessThanOrEqual(1)
    }
  })

  it('sixteen processes on one key use it up, and are mostly refused once each a window', () => {
    const target = service(480, 60_000, true)
    simulate(target, { processes: 16, concurrency: 8, latencyMs: 200, untilMs: 1_500_000, spread: chance })
    const windows = target.windows.slice(5, 24)
    for (const window of windows) expect(window.accepted).toBeGreaterThanOrEqual(466)
    const refusals = windows.map((window) => window.refused).sort((x, y) => x - y)
    expect(refusals[Math.floor(refusals.length / 2)]).toBeLessThanOrEqual(16)
    expect(windows.reduce((sum, window) => sum + window.refused, 0) / windows.length).toBeLessThanOrEqual(18)
  })

  it('follows a quota that grows', () => {
    const target = service((now) => (now < 30_000 ? 50 : 150), 10_000, true)
    simulate(target, { processes: 1, concurrency: 8, latencyMs: 20, untilMs: 70_000, spread: chance })
    expect(target.windows.map((window) => window.accepted).slice(1, 6)).toEqual([50, 50, 150, 150, 150])
  })

  it('never lets a call through while it is closed, and never waits for ever', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 3_000 }),
      refuse: fc.boolean(),
      reset: fc.integer({ min: 1, max: 9_000 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let state = openGate
        let now = 0
        for (const { wait, refuse, reset } of steps) {
          now += wait
          const admission = admit(state, now)
          state = admission.state
          if ('waitUntil' in admission) {
            expect(admission.waitUntil).toBeGreaterThan(now)
            expect(admission.waitUntil - now).toBeLessThanOrEqual(9_000)
            continue
          }
          expect(now).toBeGreaterThanOrEqual(state.closedUntil)
          state = refuse
            ? refused(state, admission.ticket, now + reset, now + reset)
            : accepted(state, admission.ticket)
        }
      }),
    )
  })
})
