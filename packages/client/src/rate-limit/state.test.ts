import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Admission, accepted, admit, initialState, type LimiterState, type Permit, refused } from './state.js'

const permitOf = (admission: Admission): Permit =>
  'permit' in admission ? admission.permit : expect.unreachable('it was not let through')
const waitOf = (admission: Admission): number =>
  'waitUntil' in admission ? admission.waitUntil : expect.unreachable('it was let through')

/** Lets a call through and closes the gate with its refusal. */
function closedAt(now: number, resetAt: number, before: LimiterState = initialState): LimiterState {
  const admission = admit(before, now)
  return refused(admission.state, permitOf(admission), resetAt, resetAt)
}

/** A gate that has seen so many calls accepted in a window that has ended at 5 000. */
function knowing(count: number): LimiterState {
  let state = initialState
  for (let i = 0; i < count; i++) state = admit(state, i).state
  return closedAt(count, 5_000, state)
}

describe('the rate limiter', () => {
  it('admits every call before the first 429', () => {
    let state = initialState
    for (let i = 0; i < 1_000; i++) {
      const admission = admit(state, i)
      expect(permitOf(admission).as).toBe('ordinary')
      state = admission.state
    }
  })

  it('admits no call between a 429 and the reset', () => {
    const state = closedAt(0, 5_000)
    expect(waitOf(admit(state, 1))).toBe(5_000)
    expect(waitOf(admit(state, 4_999))).toBe(5_000)
  })

  it('waits until the latest reset of several 429s, in whatever order they come', () => {
    const waits = fc.array(fc.integer({ min: 100, max: 600_000 }), { minLength: 2, maxLength: 6 })
    fc.assert(
      fc.property(waits, (all) => {
        const permits: Permit[] = []
        let state = initialState
        for (const _ of all) {
          const admission = admit(state, 0)
          permits.push(permitOf(admission))
          state = admission.state
        }
        for (const [i, permit] of permits.entries()) {
          const resetAt = 50 + (all[i] ?? 0)
          state = refused(state, permit, resetAt, resetAt + 10)
        }
        const latest = 60 + Math.max(...all)
        expect(waitOf(admit(state, latest - 1))).toBe(latest)
        expect(permitOf(admit(state, latest)).as).toBe('probe')
      }),
    )
  })

  it('admits one probe first, and the rest after its answer', () => {
    const probe = admit(closedAt(0, 5_000), 5_000)
    expect(permitOf(probe).as).toBe('probe')
    expect(waitOf(admit(probe.state, 5_010))).toBe(5_020)
    const open = accepted(probe.state, permitOf(probe))
    expect(permitOf(admit(open, 5_020))).toBeDefined()
  })

  it('admits the rest if the probe is unanswered for a second', () => {
    const probe = admit(closedAt(0, 5_000), 5_000)
    expect(waitOf(admit(probe.state, 5_990))).toBe(6_000)
    expect(permitOf(admit(probe.state, 6_000))).toBeDefined()
  })

  it('waits again if the probe is refused, and learns nothing from it', () => {
    const probe = admit(knowing(5), 5_000)
    const again = refused(probe.state, permitOf(probe), 6_000, 6_000)
    expect(waitOf(admit(again, 5_500))).toBe(6_000)
    expect(admit(again, 6_000).state.quota).toBe(5)
  })

  /** Admits `count` calls, each answered at once: the kind of each permit, and the time of the last one. */
  const kinds = (before: LimiterState, count: number, from = 5_000) => {
    let state = before
    let at = from
    const as = Array.from({ length: count }, () => {
      let admission = admit(state, at)
      while ('waitUntil' in admission) {
        at = admission.waitUntil
        admission = admit(admission.state, at)
      }
      state = accepted(admission.state, admission.permit)
      return admission.permit.as
    })
    return { state, as, at }
  }

  it('spreads the accepted number of calls over a part of the window', () => {
    // The refusal at 10 reported a window until 5 000, and opened the gate without a spread: three tenths of 4 990 ms.
    const { state, as, at } = kinds(knowing(10), 10)
    expect(as).toEqual(['probe', ...Array(9).fill('ordinary')])
    expect(at).toBe(5_000 + 0.9 * 0.3 * 4_990)
    expect(waitOf(admit(state, at))).toBe(5_000 + 0.3 * 4_990)
  })

  it('spreads them over a random part of each window', () => {
    const spreadOf = (opensAt: number) => {
      const admission = admit(initialState, 0)
      const ten = Array.from({ length: 9 }).reduce<LimiterState>((state) => admit(state, 0).state, admission.state)
      const closed = refused(admit(ten, 0).state, permitOf(admission), 5_000, opensAt)
      return (kinds(closed, 10, opensAt).at - opensAt) / 0.9 / 5_000
    }
    expect(spreadOf(5_000)).toBeCloseTo(0.3)
    expect(spreadOf(5_050)).toBeCloseTo(0.45)
    expect(spreadOf(5_099)).toBeCloseTo(0.597)
  })

  it('tries one extra call at a time beyond the quota', () => {
    const { state, at } = kinds(knowing(6), 6)
    const first = waitOf(admit(state, at))
    const extra = admit(state, first)
    expect(permitOf(extra).as).toBe('extra')
    expect(waitOf(admit(extra.state, first + 400))).toBe(first + 410)
    // Unanswered for a second, it counts as accepted; its late answer says nothing of the next one.
    const next = admit(extra.state, first + 1_000)
    expect(permitOf(next).as).toBe('extra')
    expect(waitOf(admit(accepted(next.state, permitOf(extra)), first + 1_300))).toBe(first + 1_310)
  })

  it('admits the whole quota at once after three windows with the same count', () => {
    let state = knowing(4)
    for (const from of [5_000, 10_000]) {
      const { state: full, as, at } = kinds(state, 4, from)
      expect(as).toEqual(['probe', 'ordinary', 'ordinary', 'ordinary'])
      expect(at).toBeGreaterThan(from)
      state = closedAt(at + 500, from + 5_000, full)
    }
    const { as, at } = kinds(state, 5, 15_000)
    expect(as).toEqual(['probe', 'ordinary', 'ordinary', 'ordinary', 'extra'])
    expect(at).toBe(15_000)
  })

  /** Windows of five seconds from an instant on, of which each ends in a refusal after so many calls. */
  const through = (before: LimiterState, from: number, counts: number[]) =>
    counts.reduce((state, count, index) => {
      const { state: full, at } = kinds(state, count, from + index * 5_000)
      const admission = admit(full, at + 500)
      return refused(admission.state, permitOf(admission), from + (index + 1) * 5_000, from + (index + 1) * 5_000)
    }, before)

  it('treats an early 429 as a shared key, until six windows have the same count', () => {
    const early = through(knowing(20), 5_000, [6])
    expect(admit(early, 10_000).state).toMatchObject({ quota: 6, stableWindows: -3 })
    expect(admit(through(early, 10_000, [6, 6, 7]), 25_000).state).toMatchObject({ quota: 7, stableWindows: -1 })
    const five = through(early, 10_000, [6, 6, 6, 6])
    expect(kinds(five, 6, 30_000).at).toBeGreaterThan(30_000)
    expect(kinds(through(five, 30_000, [6]), 6, 35_000).at).toBe(35_000)
  })

  it('continues call by call if other processes used the whole quota', () => {
    let state = initialState
    const permits = [1, 2].map(() => {
      const admission = admit(state, 0)
      state = admission.state
      return permitOf(admission)
    })
    for (const permit of permits) state = refused(state, permit, 5_000, 5_000)
    const { as, at } = kinds(state, 3)
    expect([as, at]).toEqual([['probe', 'extra', 'extra'], 5_000])
  })

  it('forgets a 429 after a minute if no second one confirms it', () => {
    expect(admit(knowing(4), 64_999).state.quota).toBe(4)
    expect(admit(knowing(4), 65_000).state.quota).toBeUndefined()
    expect(kinds(admit(knowing(4), 3_600_000).state, 9, 3_600_000)).toMatchObject({
      as: Array(9).fill('ordinary'),
      at: 3_600_000,
    })
  })

  it('spreads calls over at most a minute after a wait of an hour', () => {
    const reported = closedAt(0, 3_600_000, kinds(initialState, 100, 0).state)
    expect(kinds(reported, 100, 3_600_000).at - 3_600_000).toBeCloseTo(0.99 * 0.3 * 60_000)
  })

  it('never delays a call for its turn by much more than a second', () => {
    const reported = { ...closedAt(0, 60_000, kinds(initialState, 3, 0).state), spread: 0.6 }
    const { state, at } = kinds(reported, 3, 60_000)
    expect(at).toBe(62_400)
    expect(waitOf(admit(state, at))).toBe(63_600)
  })

  it('doubles the quota after windows without a 429', () => {
    const known = through(knowing(4), 5_000, [4, 4])
    const { state } = kinds(known, 9, 15_000)
    expect(admit(state, 20_100).state).toMatchObject({ quota: 18, stableWindows: 0 })
  })

  it('does not count a call in flight at the end of the window as accepted', () => {
    const { state } = kinds(through(knowing(4), 5_000, [4, 4]), 4, 15_000)
    const extra = admit(state, 19_500)
    expect(permitOf(extra).as).toBe('extra')
    expect(admit(extra.state, 20_100).state.quota).toBe(4)
  })

  it('forgets the wait together with its 429', () => {
    const hour = closedAt(0, 3_600_000, kinds(initialState, 10, 0).state)
    const later = kinds(hour, 10, 3_700_000)
    expect(later.at).toBe(3_700_000)
    const again = closedAt(3_700_000, 3_705_000, later.state)
    expect(kinds(again, 10, 3_705_000).at - 3_705_000).toBeCloseTo(0.9 * 0.3 * 5_000)
  })

  it('lets waiting calls ask again every ten milliseconds', () => {
    const { state } = kinds(knowing(2_000), 1)
    expect(waitOf(admit(state, 5_000))).toBe(5_010)
    let caughtUp = state
    let at = 5_010
    for (let i = 1; i < 20; i++) caughtUp = admit(caughtUp, at).state
    expect(caughtUp.admitted).toBe(20)
    at = 5_000 + 0.3 * 3_000
    expect(kinds(caughtUp, 1_980, at).at).toBe(at)
  })

  it('ignores the answers of an earlier window', () => {
    const late = admit(initialState, 0)
    const probe = admit(closedAt(0, 5_000, late.state), 5_000)
    expect(accepted(probe.state, permitOf(late))).toBe(probe.state)
  })

  it('never admits a call before the reset, and never waits for ever', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 3_000 }),
      refuse: fc.boolean(),
      reset: fc.integer({ min: 1, max: 9_000 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let state = initialState
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
            ? refused(state, admission.permit, now + reset, now + reset)
            : accepted(state, admission.permit)
        }
      }),
    )
  })
})
