import { expect, test } from 'vitest'
import { faultKinds, parseFault } from './faults.js'

test.each([
  ['latency; ms=250', { kind: 'latency', ms: 250 }],
  ['status; code=503; retry-after=2', { kind: 'status', code: 503, retryAfter: 2 }],
  ['transcripts.upload: reset-after; times=1', { on: 'transcripts.upload', kind: 'reset-after', times: 1 }],
  [' * : lost ;', { kind: 'lost' }],
  ['drip;bytes=1;every-ms=10;skip=3', { kind: 'drip', bytes: 1, everyMs: 10, skip: 3 }],
  ['truncate', { kind: 'truncate' }],
])('%s is read', (text, rule) => {
  expect(parseFault(text)).toEqual(rule)
})

test.each([
  ['', 'expected a kind out of latency, limited'],
  ['slow', 'expected a kind'],
  ['latency', 'latency needs ms'],
  ['latency; ms=soon', 'ms must be an integer from 0'],
  ['latency; ms', 'expected name=number in place of "ms"'],
  ['latency; ms=1; bytes=2', 'latency takes ms, skip, times, and not bytes'],
  ['limited; ms=1; times=2', 'limited takes ms, skip, and not times'],
  ['status; code=200', 'code must be from 400 to 599'],
  ['drip; bytes=0', 'bytes must be an integer from 1'],
])('%s is refused', (text, message) => {
  expect(() => parseFault(text)).toThrow(message)
})

test('every kind can be written down', () => {
  const needed: Record<string, string> = { latency: '; ms=1', limited: '; ms=1', status: '; code=502' }
  expect(faultKinds.map((kind) => parseFault(kind + (needed[kind] ?? '')).kind)).toEqual(faultKinds)
})
