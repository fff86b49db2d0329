import { answer, early, limited, page, passOn, redirect, reset, resetUnread, slow, truncated } from './acts.js'
import { ambiguous, type Fault, fault, once, result, sure, thrice } from './fault.js'

const two = (n: number) => String(n).padStart(2, '0')
const time = (date: Date) => date.toISOString().slice(11, 19)
// The clock of these tests begins on a Thursday, the first of January.
const rfc850 = (date: Date) =>
  `Thursday, ${two(date.getUTCDate())}-Jan-${date.getUTCFullYear() % 100} ${time(date)} GMT`
const asctime = (date: Date) =>
  `Thu Jan ${String(date.getUTCDate()).padStart(2)} ${time(date)} ${date.getUTCFullYear()}`
const inThree = (form: (date: Date) => string) =>
  answer(429, {}, (now) => ({ 'retry-after': form(new Date(now + 3_000)) }))

const service = (status: number, kind: string) => `\`ServiceError\`, ${status} \`${kind}\``
const unreached = '`ConnectionError`, while connecting'
const broken = '`ConnectionError`, while reading'

/** Faults beyond that table: what the interface, redirects, proxies and broken connections make possible. */
export const furtherFaults: Fault[] = [
  fault('no server listens on the port', [], {
    stranger: 'nobody',
    read: [thrice('GET'), unreached],
    annotation: [thrice('POST'), unreached],
    write: [thrice('POST'), unreached],
    legacy: [thrice('POST'), unreached],
    batch: [thrice('POST'), unreached],
  }),
  fault('the certificate is not trusted', [], {
    stranger: 'untrusted',
    read: ['GET', unreached],
    write: ['POST', unreached],
  }),
  fault('GET: connection reset before an answer, always', [reset], {
    read: [thrice('GET'), '`ConnectionError`, while waiting'],
  }),
  fault('POST: connection reset before the body was read, always', [resetUnread], {
    annotation: [once('POST'), '`ConnectionError`, while waiting'],
    write: [sure(75), ambiguous],
    batch: ['POST', '`ConnectionError`, while waiting'],
  }),
  fault('the response ends early, always', [truncated(200)], {
    read: [thrice('GET'), broken],
    annotation: [once('POST'), broken],
    write: [sure(75), ambiguous],
    stored: ['POST · 0–0.5 s · search', result],
  }),
  fault('500 once, then success', [answer(500), passOn], {
    read: [once('GET'), result],
    write: ['POST · 0–0.5 s · search · 14.5–15 s · search · POST', result],
  }),
  fault('502 once, then success', [answer(502), passOn], {
    annotation: [once('POST'), result],
    write: ['POST · 0–0.5 s · search · 74.5–75 s · search · POST', result],
  }),
  fault('503, always', [answer(503)], {
    legacy: ['POST', ambiguous],
    batch: ['POST', service(503, 'unavailable')],
  }),
  fault('504, always', [answer(504)], {
    read: [thrice('GET'), service(504, 'unavailable')],
    annotation: ['POST', service(504, 'unavailable')],
    write: [sure(75), ambiguous],
    stored: ['POST · 0–0.5 s · search', result],
  }),
  fault('204', [answer(204, '')], {
    read: ['GET', service(204, 'unexpected')],
    annotation: ['POST', service(204, 'unexpected')],
    stored: ['POST · 0–0.5 s · search', result],
  }),
  fault('200 with a list in place of a record', [answer(200, [])], { read: ['GET', service(200, 'unexpected')] }),
  fault('400 with a body of 8 MB', [answer(400, 'x'.repeat(8e6))], { read: ['GET', service(400, 'invalid_request')] }),
  fault('401', [answer(401)], { read: ['GET', service(401, 'authentication')] }),
  ...[408, 499].map((status) =>
    fault(`${status}, always`, [answer(status)], {
      read: [thrice('GET'), service(status, 'unavailable')],
      annotation: ['POST', service(status, 'unavailable')],
      write: [sure(75), ambiguous],
      stored: ['POST · 0–0.5 s · search', result],
    }),
  ),
  fault('409', [answer(409)], {
    read: ['GET', service(409, 'unexpected')],
    write: ['POST', service(409, 'unexpected')],
  }),
  fault('429 with `Retry-After` as `Thursday, 01-Jan-26 …` in 3 s', [inThree(rfc850), passOn], {
    read: ['GET · 3–3.6 s · GET', result],
  }),
  fault('429 with `Retry-After` as `Thu Jan  1 … 2026` in 3 s', [inThree(asctime), passOn], {
    read: ['GET · 3–3.6 s · GET', result],
  }),
  fault('429 with `Retry-After: 30`; deadline 10 s', [limited('30')], {
    options: { deadlineMs: 10_000 },
    read: ['GET', `${service(429, 'rate_limited')}, \`retryAt\` in 30 s`],
  }),
  fault('503 with `Retry-After: 30` once, then success', [answer(503, {}, { 'retry-after': '30' }), passOn], {
    read: ['GET · 30–32 s · GET', result],
    annotation: ['POST · 30–32 s · POST', result],
    write: ['POST · 30–32 s · search · POST', result],
    stored: ['POST · 30–32 s · search', result],
  }),
  fault('503 with `Retry-After: 120`', [answer(503, {}, { 'retry-after': '120' })], {
    read: ['GET', `${service(503, 'unavailable')}, \`retryAt\` in 120 s`],
    write: ['POST', ambiguous],
    stored: ['POST', ambiguous],
  }),
  fault(
    'twenty at once: 429 with `Retry-After: 3` each, then 200, the first after 0.12 s',
    [...Array(20).fill(limited('3')), slow(120), passOn],
    { calls: 20, read: ['20 × GET · 3–3.6 s · GET · 0.12 s · 19 × GET', result] },
  ),
  ...[301, 302, 303, 307, 308].map((status) =>
    fault(`${status} to another path`, [redirect(status, 'path')], {
      read: ['GET', service(status, 'unexpected')],
      ...(status > 303 && { write: ['POST', service(status, 'unexpected')] }),
    }),
  ),
  ...[302, 307, 308].map((status) =>
    fault(`${status} to another origin`, [redirect(status, 'origin')], {
      read: ['GET', service(status, 'unexpected')],
      annotation: ['POST', service(status, 'unexpected')],
      write: ['POST', service(status, 'unexpected')],
    }),
  ),
  fault('POST of 16 MB with `validate: false`: 413 after its first piece', [early(413, 'readAway')], {
    ...{ size: 16e6, options: { validate: false } },
    write: ['POST', service(413, 'too_large')],
  }),
  fault('POST of 16 MB: 413 after its first piece, then the connection is closed', [early(413, 'close')], {
    size: 16e6,
    annotation: ['POST', service(413, 'too_large')],
  }),
  fault('POST of 16 MB: 413 after its first piece, then the connection is reset', [early(413, 'reset')], {
    size: 16e6,
    annotation: ['POST', service(413, 'too_large')],
  }),
  fault('429 without `Retry-After` once, then success', [answer(429), passOn], {
    read: ['GET · 0.1–0.5 s · GET', result],
  }),
  fault('403 with the HTML page of a firewall', [page(403)], {
    read: ['GET', service(403, 'permission')],
    annotation: ['POST', service(403, 'permission')],
    write: ['POST', service(403, 'permission')],
  }),
]
