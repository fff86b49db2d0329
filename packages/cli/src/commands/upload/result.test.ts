import { expect, it } from 'vitest'
import { progressLine } from './result.js'

const open = { closedUntil: undefined, admitted: 0, quota: undefined, windowMs: undefined, shared: false }

it('shows the count, size, speed and time left', () => {
  const pace = { done: 120, total: 400, bytes: 1_234_567, startedAt: 0, now: 5_000, window: open }
  expect(progressLine(pace)).toBe('120 of 400 transcripts, 1.2 MB, 24 a second, about 12 s left')
})

it('shows only the known figures of a stream', () => {
  const pace = { done: 3, total: undefined, bytes: 900, startedAt: 0, now: 1_000, window: undefined }
  expect(progressLine(pace)).toBe('3 transcripts, 1 kB, 3.0 a second')
})

it('shows the window after a 429, and how long it is closed', () => {
  const pace = { done: 1, total: 1, bytes: 0, startedAt: 0, now: 0 }
  const known = { ...open, admitted: 60, quota: 200 }
  expect(progressLine({ ...pace, window: known })).toBe('1 of 1 transcript, 0 kB, 60 of 200 in this window')
  expect(progressLine({ ...pace, window: { ...known, closedUntil: new Date(9_500) } })).toBe(
    '1 of 1 transcript, 0 kB, rate limit reached, next request in 10 s',
  )
})

it('shows a long time in minutes and hours', () => {
  const pace = { done: 100, bytes: 5e9, startedAt: 0, now: 100_000, window: open }
  expect(progressLine({ ...pace, total: 1_100 })).toContain('5.00 GB, 1.0 a second, about 17 min left')
  expect(progressLine({ ...pace, total: 100_100 })).toContain('about 28 h left')
})
