import fc from 'fast-check'
import { expect, test } from 'vitest'
import { steeredClock } from './clock.js'

/** A base that is moved by hand, with one timer. */
function setUp() {
  const base = { time: 1000, due: undefined as { at: number; callback: () => void } | undefined }
  const clock = steeredClock({
    now: () => base.time,
    after(ms, callback) {
      const due = { at: base.time + ms, callback }
      base.due = due
      return () => {
        if (base.due === due) base.due = undefined
      }
    },
  })
  const pass = (ms: number) => {
    base.time += ms
    const { due } = base
    if (due && due.at <= base.time) due.callback()
  }
  const called: number[] = []
  const call = (ms: number) => clock.after(ms, () => called.push(clock.now()))
  return { base, clock, pass, called, call }
}

test('follows its base, and stays ahead of it after an advance', () => {
  const { clock, pass } = setUp()
  pass(5)
  expect(clock.now()).toBe(1005)
  clock.advance(1000)
  pass(5)
  expect(clock.now()).toBe(2010)
})

test('calls back due timers in order during an advance, each at its time', () => {
  const { clock, called, call } = setUp()
  call(30)
  call(10)
  call(100)
  clock.advance(50)
  expect(called).toEqual([1010, 1030])
  expect(clock.now()).toBe(1050)
})

test('calls back a timer that becomes due without an advance', () => {
  const { clock, called, call, pass } = setUp()
  call(30)
  clock.advance(10)
  pass(20)
  expect(called).toEqual([1030])
})

test('stops, advances while stopped, and continues from there', () => {
  const { clock, called, call, pass, base } = setUp()
  call(30)
  clock.stop()
  pass(100)
  expect([clock.now(), clock.running, called, base.due]).toEqual([1000, false, [], undefined])
  clock.advance(10)
  clock.run()
  expect([clock.now(), clock.running]).toEqual([1010, true])
  pass(20)
  expect(called).toEqual([1030])
})

test('does not call back a cancelled timer, and leaves no timer of the base', () => {
  const { clock, called, call, base } = setUp()
  call(30)()
  clock.advance(50)
  expect([called, base.due]).toEqual([[], undefined])
})

test('refuses a time in the past', () => {
  const { clock } = setUp()
  expect(() => clock.moveTo(999)).toThrow('only moves forward')
  expect(() => clock.advance(Number.NaN)).toThrow(RangeError)
})

test('refuses a time after the year 9999', () => {
  const { clock } = setUp()
  for (const ms of [Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
    expect(() => clock.advance(ms)).toThrow(RangeError)
    expect(clock.now()).toBe(1000)
  }
})

/** A base that advances at each reading, as the system clock may, and calls back as soon as its time has come. */
function tickingBase(ticks: readonly number[]) {
  let time = 0
  let reading = 0
  const timers = new Set<{ at: number; callback: () => void }>()
  return {
    now() {
      time += ticks[reading++ % ticks.length] ?? 0
      return time
    },
    after(ms: number, callback: () => void) {
      const timer = { at: time + ms, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    /** Advance, and call back what is due. */
    pass(ms: number) {
      time += ms
      for (const timer of timers) if (timer.at <= time && timers.delete(timer)) timer.callback()
    },
  }
}

const milliseconds = fc.integer({ min: 0, max: 50 })
const step = fc.oneof(
  fc.record({ act: fc.constantFrom('after', 'advance', 'pass'), ms: milliseconds }),
  fc.record({ act: fc.constantFrom('stop', 'run'), ms: fc.constant(0) }),
)

test('calls back each timer once and not early, and accepts every advance, while its base advances between two readings', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 }),
      fc.array(step, { maxLength: 30 }),
      (ticks, steps) => {
        const base = tickingBase(ticks)
        const clock = steeredClock(base)
        const timers: { due: number; calledAt: number[] }[] = []
        for (const { act, ms } of steps) {
          if (act === 'after') {
            const timer = { due: clock.now() + ms, calledAt: [] as number[] }
            timers.push(timer)
            clock.after(ms, () => timer.calledAt.push(clock.now()))
          } else if (act === 'advance') clock.advance(ms)
          else if (act === 'pass') base.pass(ms)
          else if (act === 'stop') clock.stop()
          else clock.run()
        }
        clock.advance(100)
        for (const { due, calledAt } of timers) {
          expect(calledAt).toHaveLength(1)
          expect(calledAt[0]).toBeGreaterThanOrEqual(due)
        }
      },
    ),
  )
})

test('corrects the date without letting time pass', () => {
  const { clock, called, call, pass } = setUp()
  call(30)
  const startedAt = clock.monotonic()
  clock.jumpWall(500)
  expect([clock.now(), clock.monotonic() - startedAt, called]).toEqual([1500, 0, []])
  pass(20)
  clock.jumpWall(-1000)
  expect([clock.now(), clock.monotonic() - startedAt, called]).toEqual([520, 20, []])
  clock.advance(10)
  expect([clock.now(), clock.monotonic() - startedAt, called]).toEqual([530, 30, [530]])
  expect(() => clock.jumpWall(-531)).toThrow(RangeError)
})

test('follows the monotonic time of its base, and no correction of its date', () => {
  const base = { wall: 1_000_000, elapsed: 7.25 }
  const clock = steeredClock({ now: () => base.wall, monotonic: () => base.elapsed, after: () => () => {} })
  base.wall -= 3_600_000
  base.elapsed += 5
  clock.advance(10)
  expect([clock.now(), clock.monotonic()]).toEqual([1_000_015, 22.25])
  clock.moveTo(1_000_020)
  clock.stop()
  base.elapsed += 100
  clock.run()
  base.elapsed += 2
  expect([clock.now(), clock.monotonic()]).toEqual([1_000_022, 29.25])
})
