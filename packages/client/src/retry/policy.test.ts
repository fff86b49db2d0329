import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RetryClass } from '../operation.js'
import { type AttemptResult, type Decision, decide, defaultRetry, type History, noRetry } from './policy.js'

const first: History = { attempts: 1, refusals: 0, lost: 0 }
const lostOnce: History = { attempts: 1, refusals: 0, lost: 1 }

type Word = Decision['next']
const columns: Record<string, { result: AttemptResult; history?: History }> = {
  'never reached the server': { result: { failure: 'unreached' } },
  'status 429': { result: { status: 429 }, history: { attempts: 0, refusals: 1, lost: 0 } },
  'status 500': { result: { status: 500 } },
  'another 5xx': { result: { status: 520 } },
  'status 502': { result: { status: 502 } },
  'status 503': { result: { status: 503 } },
  'status 408': { result: { status: 408 } },
  'status 499': { result: { status: 499 } },
  'status 504': { result: { status: 504 } },
  'time-out': { result: { failure: 'timeout' } },
  'lost after sending': { result: { failure: 'lost' }, history: lostOnce },
  'lost a second time': { result: { failure: 'lost' }, history: { attempts: 2, refusals: 0, lost: 2 } },
  'status 501': { result: { status: 501 } },
  'status 400': { result: { status: 400 } },
  'status 413': { result: { status: 413 } },
  'status 302': { result: { status: 302 } },
  'an answer that is not the declared one': { result: { status: 200 } },
  'a misconfiguration that sent nothing': { result: { failure: 'misconfigured' } },
  'a mismatch of protocols': { result: { failure: 'mismatch' } },
}
const R: Word = 'retry'
const F: Word = 'fail'
const S: Word = 'reconcile'
const table: Record<RetryClass, Word[]> = {
  read: [R, R, R, R, R, R, R, R, R, R, R, R, F, F, F, F, F, F, F],
  compute: [R, R, F, F, R, R, F, F, F, F, R, F, F, F, F, F, F, F, F],
  write: [R, R, S, S, S, S, S, S, S, S, S, S, F, F, F, F, F, F, S],
  batch: [R, R, F, F, F, F, F, F, F, F, F, F, F, F, F, F, F, F, F],
  legacy: [R, R, S, S, S, S, S, S, S, S, S, S, F, F, F, F, F, F, S],
}

describe.each(Object.entries(table))('an operation of the class %s', (repeat, words) => {
  it.each(Object.entries(columns).map(([name, column], i) => ({ name, ...column, word: words[i] })))(
    'answers "$name" with $word',
    ({ result, history, word }) => {
      expect(decide(repeat as RetryClass, result, history ?? first, defaultRetry, 0.5).next).toBe(word)
    },
  )
})

describe('the number of attempts', () => {
  it('the number of attempts is bounded by the policy', () => {
    expect(decide('read', { status: 500 }, { ...first, attempts: 3 }, defaultRetry, 0)).toEqual({ next: 'fail' })
    expect(decide('read', { status: 500 }, { ...first, attempts: 2 }, defaultRetry, 0).next).toBe('retry')
  })

  it('does not count refusals by rate', () => {
    const manyRefusals = { attempts: 0, refusals: 40, lost: 0 }
    expect(decide('write', { status: 429, retryAfterMs: 1_000 }, manyRefusals, defaultRetry, 0).next).toBe('retry')
  })

  it('the number of attempts is one without retry, also for 429', () => {
    expect(decide('read', { status: 500 }, first, noRetry, 0).next).toBe('fail')
    expect(decide('read', { status: 429, retryAfterMs: 1 }, first, noRetry, 0).next).toBe('fail')
    expect(decide('read', { status: 429 }, first, noRetry, 0).next).toBe('fail')
  })
})

describe('the wait', () => {
  const waitOf = (decision: Decision) => (decision.next === 'retry' ? decision.waitMs : Number.NaN)

  it('the wait is full-jitter back-off that doubles up to its cap', () => {
    const ceilings = [1, 2, 3, 4, 5, 6, 7].map((attempts) =>
      waitOf(decide('read', { status: 500 }, { ...first, attempts }, { ...defaultRetry, attempts: 99 }, 1)),
    )
    expect(ceilings).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
    expect(waitOf(decide('read', { status: 500 }, first, defaultRetry, 0))).toBe(0)
  })

  it('the wait is never shorter than the back-off or Retry-After, and at most a fifth or two seconds longer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60_000 }),
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.constantFrom(429, 503),
        (retryAfterMs, count, random, status) => {
          const history = { ...first, attempts: count, refusals: count }
          const wait = (after?: number) =>
            waitOf(decide('read', { status, retryAfterMs: after }, history, { ...defaultRetry, attempts: 99 }, random))
          const leastMs = Math.max(wait(), retryAfterMs)
          expect(wait(retryAfterMs)).toBeGreaterThanOrEqual(leastMs)
          expect(wait(retryAfterMs)).toBeLessThanOrEqual(leastMs + Math.min(retryAfterMs * 0.2, 2_000))
        },
      ),
    )
  })

  it('the wait is refused at once when Retry-After is longer than the policy allows', () => {
    expect(decide('read', { status: 429, retryAfterMs: 60_001 }, first, defaultRetry, 0).next).toBe('fail')
    expect(decide('read', { status: 503, retryAfterMs: 60_001 }, first, defaultRetry, 0).next).toBe('fail')
  })
})
