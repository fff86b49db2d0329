import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Faults, faultsAfter, faultsBefore } from './faults.js'
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
  ['latency; min=100; max=300', { kind: 'latency', min: 100, max: 300 }],
  ['latency; p50=80; p99=900', { kind: 'latency', p50: 80, p99: 900 }],
  ['status; code=503; body=Busy', { kind: 'status', code: 503, body: 'Busy' }],
  [
    ' {"kind":"status","code":200,"body":{"data":[]},"when":{"query":{"page":"2"}}}',
    { kind: 'status', code: 200, body: { data: [] }, when: { query: { page: '2' } } },
  ],
  ['limited; ms=1; form=date', { kind: 'limited', ms: 1, form: 'date' }],
  ['waf; over=8000', { kind: 'waf', over: 8000 }],
  ['too-large-close', { kind: 'too-large-close' }],
])('%s is read', (text, rule) => {
  expect(parseFault(text)).toEqual(rule)
})

test.each([
  ['', 'expected one of the kinds latency, limited'],
  ['slow', 'expected one of the kinds'],
  ['latency', 'latency needs ms, or min and max, or p50 and p99'],
  ['latency; ms=soon', 'ms must be an integer from 0'],
  ['latency; ms', 'expected name=value in place of "ms"'],
  ['latency; ms=1; bytes=2', 'unknown parameter bytes; latency takes ms, min, max, p50, p99, skip, times'],
  ['limited; ms=1; times=2', 'unknown parameter times; limited takes ms, form, skip'],
  ['status; code=199', 'code must be an integer from 200 to 599'],
  ['latency; min=5', 'latency needs ms, or min and max, or p50 and p99'],
  ['latency; ms=1; p50=1; p99=2', 'latency needs ms, or min and max, or p50 and p99'],
  ['latency; min=5; max=4', 'min must be at most max'],
  ['latency; p50=5; p99=4', 'p50 must be at most p99'],
  ['latency; p50=0; p99=4', 'p50 must be an integer from 1'],
  ['status; code=200; headers=x', 'headers must be an object of header texts'],
  ['{"kind":"status","code":200', 'expected JSON, as the text begins with a brace'],
  [
    '{"kind":"status","code":200,"headers":{"Content-Length":"1"}}',
    'headers must be an object of header texts, without',
  ],
  ['{"kind":"status","code":200,"headers":{"x":"a\\nb"}}', 'headers must be an object of header texts'],
  ['{"kind":"status","code":204,"body":{}}', 'an answer with code 204 has no body'],
  ['{"kind":"lost","when":{"bdy":1}}', 'when/bdy: no such field (did you mean body?)'],
  ['{"kind":"lost","when":{"path":"transcripts"}}', 'when/path: expected a path that begins with /'],
  ['{"kind":"lost","when":[]}', 'when: expected an object'],
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

/** The latencies of requests under a rule, in milliseconds. */
function latencies(rule: string, requests: number): number[] {
  const faults = new Faults([rule])
  const request = { path: '/health', size: 0, entry: { query: {}, headers: {} } }
  return Array.from({ length: requests }, () => faultsBefore(faults.match('health', 0, request), 0).latencyMs)
}

test('a latency between two bounds is spread evenly, and the same in every run', () => {
  const drawn = latencies('latency; min=100; max=300', 1_000)
  expect([Math.min(...drawn) >= 100, Math.max(...drawn) <= 300]).toEqual([true, true])
  for (let from = 100; from < 300; from += 20) {
    const share = drawn.filter((ms) => ms >= from && ms < from + 20).length / drawn.length
    expect(share).toBeCloseTo(0.1, 2)
  }
  expect(latencies('latency; min=100; max=300', 1_000)).toEqual(drawn)
})

test('half of the requests take at most p50, and one of 100 more than p99', () => {
  const spreads = fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 0, max: 60_000 }))
  fc.assert(
    fc.property(spreads, ([p50, more]) => {
      const drawn = latencies(`latency; p50=${p50}; p99=${p50 + more}`, 1_000)
      expect(Math.min(...drawn)).toBeLessThanOrEqual(p50)
      if (more === 0) return
      const over = (ms: number) => drawn.filter((each) => each > ms * (1 + 1e-9)).length
      expect(over(p50)).toBeGreaterThanOrEqual(498)
      expect(over(p50)).toBeLessThanOrEqual(502)
      expect(over(p50 + more)).toBeGreaterThanOrEqual(8)
      expect(over(p50 + more)).toBeLessThanOrEqual(12)
    }),
  )
})
