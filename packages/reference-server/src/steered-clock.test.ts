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

test('it runs with its base, and ahead of it once it was moved', () => {
  const { clock, pass } = setUp()
  pass(5)
  expect(clock.now()).toBe(1005)
  clock.advance(1000)
  pass(5)
  expect(clock.now()).toBe(2010)
})

test('what falls due on the way is called back in order, each at its time', () => {
  const { clock, called, call } = setUp()
  call(30)
  call(10)
  call(100)
  clock.advance(50)
  expect(called).toEqual([1010, 1030])
  expect(clock.now()).toBe(1050)
})

test('what falls due by itself is called back too', () => {
  const { clock, called, call, pass } = setUp()
  call(30)
  clock.advance(10)
  pass(20)
  expect(called).toEqual([1030])
})

test('it stands still when it is stopped, moves by hand, and goes on from there', () => {
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

test('a cancelled call does not come, and leaves no timer of the base', () => {
  const { clock, called, call, base } = setUp()
  call(30)()
  clock.advance(50)
  expect([called, base.due]).toEqual([[], undefined])
})

test('it never goes back', () => {
  const { clock } = setUp()
  expect(() => clock.moveTo(999)).toThrow('only moves forward')
  expect(() => clock.advance(Number.NaN)).toThrow(RangeError)
})

test('it does not leave the years that a date can name', () => {
  const { clock } = setUp()
  for (const ms of [Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
    expect(() => clock.advance(ms)).toThrow(RangeError)
    expect(clock.now()).toBe(1000)
  }
})
