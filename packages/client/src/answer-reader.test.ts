import { describe, expect, it } from 'vitest'
import { AnswerReader } from './answer-reader.js'

/** What is told of bytes that come in pieces of a size. */
function read(text: string, size = text.length, { method = 'GET', closes = false } = {}) {
  const told = { status: 0, headers: {} as Record<string, unknown>, body: '', heads: 0, ended: undefined as unknown }
  const reader = new AnswerReader(method, {
    head: (status, _, headers) => Object.assign(told, { status, headers: { ...headers }, heads: told.heads + 1 }),
    data: (part) => {
      told.body += Buffer.from(part).toString('latin1')
    },
    end: (mayGoOn) => {
      told.ended = mayGoOn ? 'goes on' : 'is over'
    },
  })
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
  const isWhole = closes ? reader.close() : undefined
  return { ...told, isWhole }
}

const http = (head: string, body = '') => `HTTP/1.1 ${head.replaceAll('\n', '\r\n')}\r\n\r\n${body}`

describe('an answer', () => {
  const answers = {
    'of a length': [http('200 OK\nContent-Length: 5', 'hello'), 'hello', 'goes on'],
    'of no length': [http('200 OK\nContent-Length: 0'), '', 'goes on'],
    'that tells the same length twice': [
      http('200 OK\nContent-Length: 5\nContent-Length: 5', 'hello'),
      'hello',
      'goes on',
    ],
    'in chunks': [
      http('200 OK\nTransfer-Encoding: Chunked', '3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\n\r\n'),
      'hello',
      'goes on',
    ],
    'in chunks with trailers': [
      http('200 OK\nTransfer-Encoding: chunked', '5\r\nhello\r\n0\r\nA: b\r\n\r\n'),
      'hello',
      'goes on',
    ],
    'without a body': [http('204 No Content'), '', 'goes on'],
    'that is not modified': [http('304 Not Modified\nContent-Length: 5'), '', 'goes on'],
    'behind an early hint': [
      http('103 Early Hints\nLink: x', http('200 OK\nContent-Length: 2', 'ok')),
      'ok',
      'goes on',
    ],
    'whose connection closes': [http('200 OK\nConnection: Close\nContent-Length: 2', 'ok'), 'ok', 'is over'],
    'of HTTP/1.0': [http('200 OK\nContent-Length: 2', 'ok').replace('1.1', '1.0'), 'ok', 'is over'],
    'without a reason': [http('200\nContent-Length: 2', 'ok'), 'ok', 'goes on'],
  }

  it.each(Object.entries(answers))('%s is read the same, however it is cut', (_, [text = '', body, ended]) => {
    for (let size = 1; size <= text.length; size++) expect(read(text, size)).toMatchObject({ body, ended, heads: 1 })
  })

  it('to HEAD has no body, whatever its length says', () => {
    expect(read(http('200 OK\nContent-Length: 5'), 9, { method: 'HEAD' })).toMatchObject({ body: '', ended: 'goes on' })
  })

  it('without a length goes on until the connection ends', () => {
    const told = read(http('200 OK', 'hello'), 3, { closes: true })
    expect(told).toMatchObject({ body: 'hello', ended: 'is over', isWhole: true })
  })

  it.each([
    http('200 OK\nContent-Length: 6', 'hello'),
    http('200 OK\nTransfer-Encoding: chunked', '5\r\nhello\r\n'),
    'HTTP/1.1 200 OK\r\nContent-',
  ])('that breaks off is not whole', (text) => {
    expect(read(text, text.length, { closes: true })).toMatchObject({ ended: undefined, isWhole: false })
  })

  it('with bytes behind it ends its connection', () => {
    expect(read(http('200 OK\nContent-Length: 2', 'okHTTP/1.1 200 OK'))).toMatchObject({ body: 'ok', ended: 'is over' })
  })

  it('has its headers in lower case, those that came twice together, and the first of those that must not', () => {
    const { headers } = read(
      http(
        '200 OK\nContent-Length: 0\nX-A:  b \t\nx-a:c\nSet-Cookie: d\nSet-Cookie: e, f\nRetry-After: 3\nRetry-After: 9',
      ),
    )
    const merged = { 'x-a': 'b, c', 'set-cookie': ['d', 'e, f'], 'retry-after': '3', 'content-length': '0' }
    expect(headers).toEqual(merged)
  })

  it('may name a header as a property of every object', () => {
    expect(Object.keys(read(http('200 OK\n__proto__: x\nContent-Length: 0')).headers)).toContain('__proto__')
  })
})

describe('bytes of which it is not certain where the answer ends are refused', () => {
  it.each([
    'SSH-2.0-OpenSSH_9.6\r\n\r\n',
    'HTTP/2 200 OK\r\n\r\n',
    http('99 x'),
    http('101 Switching Protocols\nUpgrade: x'),
    http('200 OK\nContent-Length: 5\nContent-Length: 6', 'hello'),
    http('200 OK\nContent-Length: -5'),
    http('200 OK\nContent-Length: 0x5'),
    http('200 OK\nContent-Length: 5\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    http('200 OK\nTransfer-Encoding: gzip'),
    http('200 OK\nTransfer-Encoding: chunked, chunked'),
    http('200 OK\nTransfer-Encoding: chunked', '5 x\r\nhello'),
    http('200 OK\nTransfer-Encoding: chunked', '-1\r\n'),
    http('200 OK\nTransfer-Encoding: chunked', '2\r\nhello\r\n'),
    http('200 OK\nContent-Length : 5', 'hello'),
    http('200 OK\n folded: 5'),
    http('200 OK\nno colon'),
    http('200 OK\nX: a\0b'),
    http('200 OK\nX: a\rContent-Length: 5'),
    http(`200 OK\nX: ${'a'.repeat(20_000)}`),
    `HTTP/1.1 200 ${'a'.repeat(20_000)}`,
    http('200 OK\nTransfer-Encoding: chunked', `1;${'a'.repeat(5_000)}`),
    http('200 OK\nTransfer-Encoding: chunked', `0\r\n${`A: ${'b'.repeat(1_000)}\r\n`.repeat(20)}`),
  ])('%j', (text) => {
    for (const size of [text.length, 7, 1]) {
      expect(() => read(text, size)).toThrow(expect.objectContaining({ code: 'ERR_HTTP_ANSWER' }))
    }
  })
})
