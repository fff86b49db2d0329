import { expect, test } from 'vitest'
import { afterwards, before } from './faults.js'

const answer = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"data":1}' }

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
