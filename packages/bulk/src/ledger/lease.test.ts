import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renewEveryMs, type Sighting, watchLease } from './lease.js'

const leaseMs = 60_000
const looks = fc.array(fc.record({ afterMs: fc.nat({ max: 90_000 }), content: fc.nat({ max: 2 }) }), { minLength: 1 })

/** The sightings of a reader at these times. */
function watched(all: readonly { afterMs: number; content: number }[]): { now: number; seen: Sighting }[] {
  let now = 0
  let seen: Sighting | undefined
  return all.map(({ afterMs, content }) => {
    now += afterMs
    seen = watchLease(seen, String(content), now, leaseMs)
    return { now, seen }
  })
}

describe('a lease', () => {
  it('a lease expires exactly when one content was seen for its time', () => {
    fc.assert(
      fc.property(looks, (all) => {
        const sightings = watched(all)
        for (const [i, { now, seen }] of sightings.entries()) {
          const { content } = all[i] as (typeof all)[number]
          const first = all.slice(0, i + 1).findLastIndex((each) => each.content !== content) + 1
          const age = now - (sightings[first]?.now ?? 0)
          expect(seen.state === 'expired').toBe(age >= leaseMs)
          expect(seen.state === 'renewed').toBe(first === i && i > 0)
        }
      }),
    )
  })

  it('a lease that its owner renews in time never expires, at whatever pace the two clocks go and whenever a reader looks', () => {
    const drawn = fc.record({
      pace: fc.double({ min: 0.5, max: 2, noNaN: true }),
      looks: fc.array(fc.nat({ max: 200_000 }), { minLength: 1, maxLength: 50 }),
      missed: fc.nat({ max: 1 }),
    })
    fc.assert(
      fc.property(drawn, ({ pace, looks: gaps, missed }) => {
        let now = 0
        let seen: Sighting | undefined
        for (const gap of gaps) {
          now += gap
          // The owner's clock goes at another pace, and some renewals fail.
          const renewals = Math.floor((now * pace) / (renewEveryMs(leaseMs) * (1 + missed)))
          seen = watchLease(seen, String(renewals), now, leaseMs)
          expect(seen.state).not.toBe('expired')
        }
      }),
    )
  })

  it('a lease that is not renewed expires, whatever its content was before', () => {
    fc.assert(
      fc.property(looks, (all) => {
        const { now, seen } = watched(all).at(-1) ?? expect.fail('no look')
        const later = watchLease(seen, seen.content, now + leaseMs, leaseMs)
        expect(later.state).toBe('expired')
        expect(watchLease(later, 'other', now + leaseMs, leaseMs).state).toBe('renewed')
      }),
    )
  })
})
