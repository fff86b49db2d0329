import { expect, test } from 'vitest'
import { faultsAfter, faultsBefore } from './faults.js'
import { faultKinds, parseFault } from './rule.js'

const answer = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"data":1}' }

test('the first fault that ends a request counts, and every latency before it', () => {
  const faults = faultsBefore(
    [{ kind: 'latency', ms: 5 }, { kind: 'latency', ms: 7 }, { kind: 'status', code: 502 }, { kind: 'reset-before' }],
    0,
  )
  expect(faults).toMatchObject({ latencyMs: 12, refusal: { status: 502 } })
  expect(faults.response).toBeUndefined()
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
  expect(faultsAfter([fault], answer)).toEqual({ ...answer, delivery })
})

test.each([
  ['latency; ms=250', { kind: 'latency', ms: 250 }],
  ['status; code=503; retry-after=2', { kind: 'status', code: 503, retryAfter: 2 }],
  ['transcripts.upload: reset-after; times=1', { on: 'transcripts.upload', kind: 'reset-after', times: 1 }],
  [' * : lost ;', { kind: 'lost' }],
  ['drip;bytes=1;every-ms=10;skip=3', { kind: 'drip', bytes: 1, everyMs: 10, skip: 3 }],
  ['truncate', { kind: 'truncate' }],
  ['limited; ms=1; form=date', { kind: 'limited', ms: 1, form: 'date' }],
  ['waf; over=8000', { kind: 'waf', over: 8000 }],
  ['too-large-close', { kind: 'too-large-close' }],
])('%s is read', (text, rule) => {
  expect(parseFault(text)).toEqual(rule)
})

test.each([
  ['', 'expected one of the kinds latency, limited'],
  ['slow', 'expected one of the kinds'],
  ['latency', 'latency needs ms'],
  ['latency; ms=soon', 'ms must be an integer from 0'],
  ['latency; ms', 'expected name=value in place of "ms"'],
  ['latency; ms=1; bytes=2', 'unknown parameter bytes; latency takes ms, skip, times'],
  ['limited; ms=1; times=2', 'unknown parameter times; limited takes ms, form, skip'],
  ['status; code=200', 'code must be an integer from 400 to 599'],
  ['drip; bytes=0', 'bytes must be an integer from 1'],
  ['limited; ms=1; form=minutes', 'form must be one of seconds, none, date, ms'],
  ['waf; over=all', 'over must be an integer from 0'],
  ['waf; toString=1', 'unknown parameter to-string; waf takes over, skip, times'],
])('%s is refused', (text, message) => {
  expect(() => parseFault(text)).toThrow(message)
})

test('every kind can be written down', () => {
  const needed: Record<string, string> = { latency: '; ms=1', limited: '; ms=1', status: '; code=502' }
  expect(faultKinds.map((kind) => parseFault(kind + (needed[kind] ?? '')).kind)).toEqual(faultKinds)
})
