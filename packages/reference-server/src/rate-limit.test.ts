import { expect, test } from 'vitest'
import { admit, type Window } from './rate-limit.js'

const limits = { requests: 2, windowMs: 10_000 }

function after(times: number[]): (number | undefined)[] {
  let window: Window | undefined
  return times.map((now) => {
    const admission = admit(window, now, limits)
    window = admission.window
    return admission.retryAfterSeconds
  })
}

test('a window begins with its first request and lets so many through', () => {
  expect(after([5_000, 6_000, 7_000])).toEqual([undefined, undefined, 8])
})

test('the wait is rounded up to the end of the window', () => {
  expect(after([0, 0, 1, 9_001, 9_999])).toEqual([undefined, undefined, 10, 1, 1])
})

test('refused requests do not prolong the window, and the next one begins anew', () => {
  expect(after([0, 0, 9_999, 10_000, 10_000, 10_000])).toEqual([undefined, undefined, 1, undefined, undefined, 10])
})

test('a clock that is set back begins a new window', () => {
  expect(after([50_000, 50_000, 10])).toEqual([undefined, undefined, undefined])
})
