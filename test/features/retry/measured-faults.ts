import { answer, early, limited, page, passOn, reset, silence, stalled } from './acts.js'
import { ambiguous, type Fault, fault, once, reason, result, sure, thrice } from './fault.js'

const retryAfter1 = answer(503, {}, { 'retry-after': '1' })
const notImplemented = answer(501, { error: 'not_implemented', detail: 'Batches come later.' })
const unavailable = (status: number) => `\`ServiceError\`, ${status} \`unavailable\``
const unexpected = '`ServiceError`, 200 `unexpected`'
const refused = '`ServiceError`, 400 `invalid_request`'
const noSuchId = '`InputError`, reason `invalid_id`'
const brief = { options: { timeoutMs: 300 } }

/** The faults that were put to ten SDKs, in the order of that table. */
export const measuredFaults: Fault[] = [
  fault('GET: 500, always', [answer(500)], { read: [thrice('GET'), unavailable(500)] }),
  fault('POST: 500, always', [answer(500)], {
    annotation: ['POST', unavailable(500)],
    write: [sure(15), ambiguous],
    stored: ['POST · 0–0.5 s · search', result],
    legacy: ['POST', ambiguous],
  }),
  fault('POST: 503 with `Retry-After: 1`, always', [retryAfter1], {
    annotation: ['POST · 1–1.2 s · POST · 1–1.2 s · POST', '`ServiceError`, 503 `unavailable`, `retryAt` in 1 s'],
    write: [sure(15, 1.2, 1), ambiguous],
    stored: ['POST · 1–1.2 s · search', result],
  }),
  fault('POST: 501 in the envelope', [notImplemented], {
    annotation: ['POST', '`ServiceError`, 501 `not_implemented`'],
    write: ['POST', '`ServiceError`, 501 `not_implemented`'],
    batch: ['POST', '`ServiceError`, 501 `not_implemented`'],
  }),
  fault('GET: 429 with `Retry-After: 1`, then 200', [limited('1'), passOn], { read: ['GET · 1–1.2 s · GET', result] }),
  fault('POST: 429 with `Retry-After: 1`, then success', [limited('1'), passOn], {
    annotation: ['POST · 1–1.2 s · POST', result],
    write: ['POST · 1–1.2 s · POST', result],
  }),
  fault('GET: 429 with `Retry-After` as a date in 3 s, then 200', [limited({ inMs: 3_000 }), passOn], {
    read: ['GET · 3–3.6 s · GET', result],
  }),
  fault('GET: 429 with `Retry-After` as a date in the past, then 200', [limited({ inMs: -60_000 }), passOn], {
    read: ['GET · 0.1–0.5 s · GET', result],
  }),
  fault('GET: 429 with `Retry-After: soon`, then 200', [limited('soon'), passOn], {
    read: ['GET · 0.1–0.5 s · GET', result],
  }),
  fault('GET: 429 with `Retry-After: -5`, then 200', [limited('-5'), passOn], {
    read: ['GET · 0.1–0.5 s · GET', result],
  }),
  fault('GET: 429 with `Retry-After: 120`', [limited('120')], {
    read: ['GET', '`ServiceError`, 429 `rate_limited`, `retryAt` in 120 s'],
  }),
  fault('POST: connection reset after the body was read, always', [reset], {
    annotation: [once('POST'), '`ConnectionError`, while waiting'],
    write: [sure(75), ambiguous],
    stored: ['POST · 0–0.5 s · search', result],
  }),
  fault('POST: never answered; time-out 300 ms', [silence], {
    ...brief,
    annotation: ['POST · 0.3 s', '`ConnectionError`, while waiting, timed out'],
    write: [[1, 2, 3].map(() => 'POST · 0.3–0.8 s · search · 14.5–15 s · search').join(' · '), ambiguous],
    stored: ['POST · 0.3–0.8 s · search', result],
  }),
  fault('200 with a body that stalls; time-out 300 ms', [stalled(200)], {
    ...brief,
    read: ['GET · 0.3–0.8 s · GET · 0.3–1.3 s · GET · 0.3 s', '`ConnectionError`, while reading, timed out'],
    annotation: ['POST · 0.3 s', '`ConnectionError`, while reading, timed out'],
    stored: ['POST · 0.3–0.8 s · search', result],
  }),
  fault('400 with a body that stalls; time-out 300 ms', [stalled(400, '{"error":')], {
    ...brief,
    read: ['GET · 0.3 s', refused],
    annotation: ['POST · 0.3 s', refused],
    write: ['POST · 0.3 s', refused],
  }),
  fault('GET: 429 with `Retry-After: 6`; the caller aborts after 0.4 s', [limited('6')], {
    abortAt: 400,
    read: ['GET · 0.4 s', reason],
  }),
  fault('the caller aborts while it waits for the response', [silence], {
    abortAt: 400,
    read: ['GET · 0.4 s', reason],
    annotation: ['POST · 0.4 s', reason],
    write: ['POST · 0.4 s', reason],
  }),
  fault('the caller aborts before the call', [passOn], {
    abortAt: 'before',
    read: ['nothing', reason],
    write: ['nothing', reason],
  }),
  fault('200 with broken JSON', [answer(200, '{"data":')], {
    read: ['GET', unexpected],
    annotation: ['POST', unexpected],
    stored: ['POST · 0–0.5 s · search', result],
  }),
  fault('502 with an HTML page, always', [page(502)], {
    read: [thrice('GET'), unavailable(502)],
    annotation: [thrice('POST'), unavailable(502)],
    write: [sure(75), ambiguous],
    stored: ['POST · 0–0.5 s · search', result],
  }),
  fault('200 with an HTML page, always', [page(200)], {
    read: ['GET', unexpected],
    annotation: ['POST', unexpected],
    write: [sure(75), ambiguous],
    stored: ['POST · 0–0.5 s · search', result],
  }),
  fault('200 with a JSON content type and no body', [answer(200, '')], {
    read: ['GET', unexpected],
    annotation: ['POST', unexpected],
    stored: ['POST · 0–0.5 s · search', result],
  }),
  fault('the id is `..`', [passOn], { id: '..', read: ['nothing', noSuchId] }),
  fault('the id is empty', [passOn], { id: '', read: ['nothing', noSuchId] }),
  fault('POST of 16 MB: 413 after its first piece', [early(413, 'readAway')], {
    size: 16e6,
    annotation: ['POST', '`ServiceError`, 413 `too_large`'],
    write: ['nothing', '`InputError`, reason `invalid_input`'],
  }),
  fault('GET: 500 with `x-should-retry: false`, then 200', [answer(500, {}, { 'x-should-retry': 'false' }), passOn], {
    read: [once('GET'), result],
  }),
]
