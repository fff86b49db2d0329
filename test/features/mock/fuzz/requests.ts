import { referenceKey } from '@svc/reference-server/core'
import fc from 'fast-check'
import { bodiesLike } from './bodies.js'
import { type Known, often, type Right, rightRequests, targets } from './targets.js'
import type { Asked } from './verdict.js'

/** A request as bytes; `isCut`: it ends before its length, so the connection ends with it. */
export interface FuzzRequest extends Asked {
  bytes: Buffer
  isCut: boolean
}

const methods = fc.oneof(
  often(30, 'GET', 'POST', 'HEAD', 'OPTIONS'),
  often(6, 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'M-SEARCH', 'LINK', 'QUERY'),
  often(1, 'BREW', 'get', 'P', 'CONNECT', '!#$%&', 'GETT'),
)

/** Some printable characters. */
export const junk = fc.string({ unit: 'grapheme-ascii', maxLength: 30 })

const plainHeaders = [
  'Accept: text/html',
  'Accept-Encoding: gzip',
  'Origin: http://page.test',
  'Origin: null',
  'Access-Control-Request-Method: POST',
  'Access-Control-Request-Headers: authorization, x\x80y',
  'Range: bytes=0-1',
  'If-None-Match: *',
  'If-Modified-Since: Sat, 29 Oct 2044 19:43:31 GMT',
  'Expect: 100-continue',
  'Connection: keep-alive',
  'Cookie: a=b',
  'Content-Encoding: gzip',
  'Idempotency-Key: 1',
  'svc-fault: status; code=503',
  'Trailer: x',
  'TE: trailers',
  `x-long: ${'y'.repeat(2000)}`,
  'x-empty:',
  'X-Forwarded-For: 1.2.3.4',
]

/** After these the connection ends: it was asked for, or what follows cannot be distinguished from a body. */
const endingHeaders = [
  'Expect: wonders',
  'Connection: close',
  'Connection: keep-alive, Upgrade',
  'Upgrade: websocket',
  'Transfer-Encoding: gzip, chunked',
  'Content-Length: 1',
  'Host: b',
  ' folded: x',
]

const headers = fc
  .array(
    fc.oneof(
      { arbitrary: fc.constantFrom(...plainHeaders), weight: 40 },
      { arbitrary: fc.constantFrom(...endingHeaders), weight: 3 },
      {
        arbitrary: fc
          .tuple(fc.stringMatching(/^[!#$%&'*+.^_`|~0-9a-zA-Z-]{1,12}$/), junk)
          .map(([name, text]) => `x${name}: ${text}`),
        weight: 10,
      },
      { arbitrary: fc.tuple(junk, junk).map(([name, text]) => `${name}:${text}`), weight: 1 },
    ),
    { maxLength: 4 },
  )
  .map((lines) => lines.map((line) => `${line}\r\n`).join(''))

const authorizations = fc.oneof(
  often(14, `Authorization: Bearer ${referenceKey}\r\n`),
  often(1, `authorization:bearer   ${referenceKey}  \r\n`, ''),
  often(
    1,
    'Authorization: Bearer\r\n',
    'Authorization: Basic eDp5\r\n',
    'Authorization: Bearer sk-legacy-api03-x\r\n',
    'Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30.x\r\n',
    `Authorization: Bearer ${'k'.repeat(3000)}\r\n`,
    'Authorization: Bearer \xfc\xfc\r\n',
    'Authorization: Bearer __proto__\r\n',
  ),
)

const types = fc.oneof(
  often(8, 'Content-Type: application/json\r\n'),
  often(1, 'Content-Type: application/json; charset=utf-16\r\n', 'content-type: APPLICATION/vnd.x+json\r\n', ''),
  often(1, 'Content-Type: text/plain\r\n', 'Content-Type: multipart/form-data; boundary=x\r\n', 'Content-Type: ;\r\n'),
)

const hosts = fc.oneof(
  often(150, 'Host: localhost\r\n'),
  often(1, '', 'Host: a b\r\n', 'Host:\r\n', 'Host: [::1]:80\r\n', 'Host: x\r\n', 'Host: \xfc\r\n'),
)

/** How a body goes over the wire. `short`: more was promised than comes. */
type Framing = 'length' | 'chunks' | 'short' | 'bad chunks' | 'far too long'

const framings = fc.oneof(
  { arbitrary: fc.constantFrom<Framing>('length'), weight: 12 },
  { arbitrary: fc.constantFrom<Framing>('chunks'), weight: 3 },
  { arbitrary: fc.constantFrom<Framing>('short', 'bad chunks', 'far too long'), weight: 1 },
)

function framed(body: Buffer, framing: Framing): { head: string; content: Buffer; isCut: boolean } {
  const chunked = 'Transfer-Encoding: chunked\r\n'
  const half = body.length >> 1
  const chunk = (part: Buffer) =>
    part.length === 0 ? [] : [Buffer.from(`${part.length.toString(16)};x=y\r\n`), part, Buffer.from('\r\n')]
  const chunks = [...chunk(body.subarray(0, half)), ...chunk(body.subarray(half))]
  if (framing === 'chunks')
    return { head: chunked, content: Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]), isCut: false }
  if (framing === 'bad chunks')
    return { head: chunked, content: Buffer.concat([...chunks, Buffer.from('zz\r\n')]), isCut: true }
  const extra = { length: 0, short: 7, 'far too long': 6 * 2 ** 20 }[framing]
  return { head: `Content-Length: ${body.length + extra}\r\n`, content: body, isCut: extra > 0 }
}

/** Requests that have the form of HTTP: near to right ones, with anything in them. */
export const requests = (known: Known): fc.Arbitrary<FuzzRequest> => fc.oneof(...rightRequests(known).map(near))

function near(right: Right): fc.Arbitrary<FuzzRequest> {
  return fc
    .tuple(
      fc.oneof({ arbitrary: fc.constant(right.method), weight: 5 }, { arbitrary: methods, weight: 1 }),
      targets(right.path),
      fc.tuple(hosts, authorizations, types, headers).map((all) => all.join('')),
      fc.option(fc.tuple(bodiesLike(right.body ?? {}), framings), { freq: right.body ? 20 : 1 }),
    )
    .map(([method, target, lines, sent]) => {
      const body = sent ? framed(...sent) : { head: '', content: Buffer.alloc(0), isCut: false }
      // Another header may promise more than comes, too.
      const isCut = body.isCut || /^(transfer-encoding|content-length):/im.test(lines)
      // Of a request that asks for an upgrade Node does not say that it broke off: the connection ends without a word.
      const said = isCut ? lines.replace(/^upgrade:.*\r\n/gim, '') : lines
      const head = `${method} ${target} HTTP/1.1\r\n${said}${body.head}\r\n`
      return { method, target, isCut, bytes: Buffer.concat([Buffer.from(head, 'latin1'), body.content]) }
    })
}
