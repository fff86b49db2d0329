import { expect, test } from 'vitest'
import type { FaultRule } from './fault.js'
import { afterwards, before, Faults } from './faults.js'

const met = (rules: FaultRule[], times: number[], operation = 'health') => {
  const faults = new Faults(rules)
  return times.map((now) => faults.meet(operation, now).map(({ kind }) => kind))
}
const answer = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"data":1}' }

test('a rule meets the requests of its operation, after those it skips, as often as it says', () => {
  const rule: FaultRule = { on: 'health', kind: 'lost', skip: 1, times: 2 }
  expect(met([rule], [0, 0, 0, 0])).toEqual([[], ['lost'], ['lost'], []])
  expect(met([rule], [0, 0], 'projects.list')).toEqual([[], []])
})

test('rules hold side by side', () => {
  expect(
    met(
      [
        { kind: 'latency', ms: 1 },
        { kind: 'drip', times: 1 },
      ],
      [0, 0],
    ),
  ).toEqual([['latency', 'drip'], ['latency']])
})

test('a window of 429 begins with its first request, counts down, and comes once', () => {
  const faults = new Faults([{ kind: 'limited', ms: 2_000 }])
  const waits = [50_000, 50_001, 51_000, 51_999, 52_000, 90_000].map(
    (now) => before(faults.meet('health', now)).refusal?.headers['retry-after'],
  )
  expect(waits).toEqual(['2', '2', '1', '1', undefined, undefined])
})

test('the first fault that ends a request counts, and every latency before it', () => {
  const faults = before([
    { kind: 'latency', ms: 5 },
    { kind: 'latency', ms: 7 },
    { kind: 'status', code: 502 },
    { kind: 'reset-before' },
  ])
  expect(faults).toMatchObject({ latencyMs: 12, refusal: { status: 502 } })
  expect(faults.delivery).toBeUndefined()
})

test.each([
  [{ kind: 'reset-after' }, { kind: 'reset' }],
  [{ kind: 'lost' }, { kind: 'close' }],
  [{ kind: 'hang-after' }, { kind: 'hang' }],
  [{ kind: 'stall' }, { kind: 'stall', bytes: 5 }],
  [
    { kind: 'truncate', bytes: 3 },
    { kind: 'truncate', bytes: 3 },
  ],
  [{ kind: 'drip' }, { kind: 'drip', bytes: 16, everyMs: 100 }],
] as const)('%j is a delivery of the answer that was made', (fault, delivery) => {
  expect(afterwards([fault], answer)).toEqual({ ...answer, delivery })
})

test('a page of HTML keeps the status', () => {
  expect(afterwards([{ kind: 'wrong-type' }], answer)).toMatchObject({
    status: 201,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: expect.stringMatching(/^<!doctype html>/),
  })
})

test('rules are added, refused, cleared, and put back to those of the start', () => {
  const faults = new Faults([{ kind: 'lost', times: 1 }])
  faults.meet('health', 0)
  faults.add({ kind: 'drip' })
  expect(() => faults.add({ kind: 'latency' } as never)).toThrow('latency needs ms')
  faults.clear()
  expect(faults.rules).toEqual([])
  faults.reset()
  expect(faults.meet('health', 0)).toEqual([{ kind: 'lost', times: 1 }])
})
