import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from './clock.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('waits longer than the maximum of a system timer, and can be cancelled', () => {
  let called = 0
  const cancel = [0, 1].map(() => systemClock.after(3_000_000_000, () => (called += 1)))
  vi.advanceTimersByTime(2_999_999_999)
  expect(called).toBe(0)
  cancel[0]?.()
  vi.advanceTimersByTime(1)
  expect(called).toBe(1)
})
