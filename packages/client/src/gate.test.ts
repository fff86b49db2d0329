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

  const kinds = (before: GateState, count: number, at = 5_000) => {
    let state = before
    const as = Array.from({ length: count }, () => {
      const admission = admit(state, at)
      state = accepted(admission.state, ticketOf(admission))
      return ticketOf(admission).as
    })
    return { state, as }
  }

  it('lets half as many through side by side as were accepted once, and beyond them one at a time', () => {
    const { state, as } = kinds(knowing(6), 3)
    expect(as).toEqual(['probe', 'ordinary', 'ordinary'])
    const extra = admit(state, 5_000)
    expect(ticketOf(extra).as).toBe('extra')
    expect(waitOf(admit(extra.state, 5_100))).toBe(5_150)
    // Unanswered for a second, it counts as accepted; its late answer says nothing of the next one.
    const next = admit(extra.state, 6_000)
    expect(ticketOf(next).as).toBe('extra')
    expect(waitOf(admit(accepted(next.state, ticketOf(extra)), 6_001))).toBe(6_051)
  })

  it('lets all of them through side by side once three windows took equally many', () => {
    let state = knowing(4)
    for (const at of [5_000, 10_000]) {
      const { state: full, as } = kinds(state, 4, at)
      expect(as).toEqual(['probe', 'ordinary', 'extra', 'extra'])
      state = closedAt(at, at + 5_000, full)
    }
    expect(kinds(state, 5, 15_000).as).toEqual(['probe', 'ordinary', 'ordinary', 'ordinary', 'extra'])
  })

  it('takes an early refusal for the sign of a shared key, and halves what it lets through side by side', () => {
    const { state } = kinds(knowing(20), 6)
    const early = admit(state, 5_000)
    expect(ticketOf(early).as).toBe('ordinary')
    const next = admit(refused(early.state, ticketOf(early), 9_000, 9_000), 9_000).state
    expect([next.quota, next.abreast, next.shared]).toEqual([6, 3, true])
  })

  it('goes on one by one where others had used everything up', () => {
    let state = openGate
    const tickets = [1, 2].map(() => {
      const admission = admit(state, 0)
      state = admission.state
      return ticketOf(admission)
    })
    for (const ticket of tickets) state = refused(state, ticket, 5_000, 5_000)
    expect(kinds(state, 2).as).toEqual(['probe', 'extra'])
  })

  it('does not stay narrow after a refusal that was no window: without another it is forgotten after a minute', () => {
    const { state, as } = kinds(knowing(4), 10)
    expect(as.filter((kind) => kind === 'extra')).toHaveLength(8)
    const minute = admit(state, 65_000).state
    expect([minute.abreast, minute.quota]).toEqual([Number.POSITIVE_INFINITY, undefined])
    expect(kinds(admit(knowing(4), 3_600_000).state, 9, 3_600_000).as).toEqual(Array(9).fill('ordinary'))
  })

  it('ignores the answers of an earlier window', () => {
    const late = admit(openGate, 0)
    const probe = admit(closedAt(0, 5_000, late.state), 5_000)
    expect(accepted(probe.state, ticketOf(late))).toBe(probe.state)
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
