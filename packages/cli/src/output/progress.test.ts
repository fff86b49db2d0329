import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { durationText, paceParts, progressText } from './progress.js'

const open = { closedUntil: undefined, admitted: 0, quota: undefined, windowMs: undefined, shared: false }
const at = (now: number) => ({ startedAt: 0, now })
const lineOf = (...args: Parameters<typeof paceParts>) => paceParts(...args).join(', ')

describe('the pace', () => {
  it('shows the count, time left, speed and size', () => {
    const pace = { done: 120, total: 400, bytes: 1_234_567, window: open }
    expect(lineOf(pace, at(5_000))).toBe('120 of 400 transcripts, about 12 s left, 24 a second, 1.2 MB')
  })

  it('shows only the known figures of a stream', () => {
    expect(lineOf({ done: 3, bytes: 900 }, at(1_000))).toBe('3 transcripts, 3.0 a second, 1 kB')
  })

  it('counts neither what needed no request nor a wait into the speed', () => {
    const pace = { done: 120, known: 20, waitedMs: 75_000, total: 400, bytes: 1_234_567 }
    expect(lineOf(pace, at(85_000))).toBe('120 of 400 transcripts, about 28 s left, 10 a second, 1.2 MB')
    expect(lineOf({ done: 20, known: 20, total: 400 }, at(5_000))).toBe('20 of 400 transcripts')
  })

  it('shows no time left after the first few of many', () => {
    expect(lineOf({ done: 1, total: 204, what: 'step' }, at(25_000))).toBe('1 of 204 steps, 0.0 a second')
    expect(lineOf({ done: 1, total: 4, what: 'step' }, at(25_000))).toContain('about 75 s left')
  })

  it('shows the window after a 429, and how long it is closed', () => {
    const window = { ...open, admitted: 60, quota: 200 }
    expect(lineOf({ done: 1, total: 1, window }, at(0))).toBe('1 of 1 transcript, 60 of 200 in this window')
    expect(lineOf({ done: 1, total: 1, window: { ...window, admitted: 249 } }, at(0))).toBe(
      '1 of 1 transcript, 249 in this window',
    )
    expect(lineOf({ done: 1, total: 1, window: { ...window, closedUntil: new Date(9_500) } }, at(0))).toBe(
      '1 of 1 transcript, next request in 10 s',
    )
  })

  it('shows a long time in minutes and hours', () => {
    const pace = { done: 100, bytes: 5e9, window: open }
    expect(lineOf({ ...pace, total: 1_100 }, at(100_000))).toContain('about 17 min left, 1.0 a second, 5.00 GB')
    expect(lineOf({ ...pace, total: 100_100 }, at(100_000))).toContain('about 28 h left')
  })
})

describe('the bar', () => {
  it('fills in proportion, and drops the least important parts first', () => {
    const parts = ['5 of 10 transcripts', 'about 12 s left', '24 a second', '1.2 MB']
    expect(progressText('uploading', { done: 5, total: 10 }, parts, 76)).toBe(
      'uploading ━━━━━━━━──────── 5 of 10 transcripts, about 12 s left, 24 a second',
    )
    expect(progressText('uploading', { done: 5, total: 10 }, parts, 60)).toBe(
      'uploading ━━━━━━━━──────── 5 of 10 transcripts',
    )
    expect(progressText('uploading', { done: 5, total: 10 }, parts, 36)).toBe('uploading 5 of 10 transcripts')
    expect(progressText('reading', { done: 5 }, ['5 transcripts'], 76)).toBe('reading 5 transcripts')
  })

  it('never exceeds its line, whatever the counts and the width', () => {
    const n = fc.nat(1e9)
    fc.assert(
      fc.property(
        n,
        fc.option(n, { nil: undefined }),
        n,
        n,
        fc.integer({ min: -4, max: 200 }),
        (done, total, bytes, now, width) => {
          const pace = { done, total, bytes, window: { ...open, quota: 9, closedUntil: new Date(now + bytes) } }
          expect(progressText('uploading', pace, paceParts(pace, at(now)), width).length).toBeLessThanOrEqual(
            Math.max(0, width),
          )
        },
      ),
    )
  })
})

it.each([
  [0, '1 s'],
  [1.2, '2 s'],
  [119, '119 s'],
  [120, '2 min'],
  [7_200, '2 h'],
])('%j seconds are written as %j', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})
