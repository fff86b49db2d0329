import { afterEach, expect, test } from 'vitest'
import { body, closeKept, dial, request, serving, signal, turnedClock } from '../../test/fixtures/edge.js'
import type { DeliveryFault, IncomingRequest, OutgoingResponse } from '../http-messages.js'

afterEach(closeKept)

const get = request('GET /')
const post = (length: number) => request('POST /', `Content-Length: ${length}\r\n`, 'x'.repeat(length))
const head = /^HTTP\/1\.1 200 OK\r\n[\s\S]*content-length: 19\r\n[\s\S]*?\r\n\r\n/i
const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4)

test('reset: the connection is reset, and nothing was sent', async () => {
  const { port } = await serving({ kind: 'reset' })
  expect(await dial(port, get).ended).toEqual({ text: '', by: 'ECONNRESET' })
  const failing = fetch(`http://127.0.0.1:${port}/`)
  await expect(failing).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } })
})

test.each([0, 5, 200_000])(
  'close: the connection ends without a byte, and without a reset after a body of %d',
  async (length) => {
    const { port } = await serving({ kind: 'close' })
    expect(await dial(port, post(length)).ended).toEqual({ text: '', by: 'end' })
  },
)

test('close: fetch sees the same as in process', async () => {
  const { port } = await serving({ kind: 'close' })
  const failing = fetch(`http://127.0.0.1:${port}/`)
  await expect(failing).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'UND_ERR_SOCKET' } })
})

const held: DeliveryFault[] = [{ kind: 'hang' }, { kind: 'stall', bytes: 3 }, { kind: 'drip', bytes: 3, everyMs: 100 }]

test.each(held)('$kind: releases a caller that disconnects, and leaves no timer', async (delivery) => {
  const clock = turnedClock()
  const arrived = signal<IncomingRequest>()
  const whole = { status: 200, headers: {}, body, delivery }
  const { port } = await serving(async (call) => arrived.give(call) ?? whole, { clock })
  const { socket } = dial(port, post(200_000))
  const call = await arrived.given
  const gone = new Promise((resolve) => call.signal.addEventListener('abort', resolve))
  socket.end()
  await gone
  expect(clock.waiting).toEqual([])
})

test.each(held)('$kind: ends at once when the server closes, also if it starts after that', async (delivery) => {
  const clock = turnedClock()
  const whole = { status: 200, headers: {}, body, delivery }
  const arrived = signal()
  const late = signal<OutgoingResponse>()
  const work = async ({ path }: IncomingRequest) => {
    if (path === '/') return whole
    arrived.give()
    return late.given
  }
  const { port, close } = await serving(work, { clock })
  const [early, later] = [dial(port, get), dial(port, request('GET /late'))]
  await arrived.given
  const closed = close({ graceMs: 60_000 })
  await early.ended
  late.give(whole)
  await later.ended
  await closed
  expect(clock.waiting).toEqual([])
})

test('stall: the whole length, the first bytes, and then nothing', async () => {
  const { port } = await serving({ kind: 'stall', bytes: 3 })
  const text = await dial(port, get).until(/\r\n\r\n.{3}/)
  expect(text).toMatch(head)
  expect(bodyOf(text)).toBe('{"\xc3')
})

test.each([
  [0, ''],
  [4, '{"\xc3\xa4'],
  [1000, Buffer.from(body).toString('latin1').slice(0, -1)],
])('truncate: the whole length, %d bytes and never all, and the end', async (bytes, expected) => {
  const { port } = await serving({ kind: 'truncate', bytes })
  const { text, by } = await dial(port, post(200_000)).ended
  expect(text).toMatch(head)
  expect([bodyOf(text), by]).toEqual([expected, 'end'])
  const response = await fetch(`http://127.0.0.1:${port}/`)
  await expect(response.text()).rejects.toMatchObject({ message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } })
})

test('drip: bytes come by the clock of the server, and then the connection serves on', async () => {
  const clock = turnedClock()
  const { port } = await serving({ kind: 'drip', bytes: 8, everyMs: 100 }, { clock })
  const wire = dial(port, get)
  expect(bodyOf(await wire.until(/\r\n\r\n.{8}/))).toHaveLength(8)
  expect(clock.waiting).toEqual([100])
  clock.turn()
  expect(bodyOf(await wire.until(/\r\n\r\n.{16}/))).toHaveLength(16)
  clock.turn()
  expect(bodyOf(await wire.until(/\}$/))).toBe(Buffer.from(body).toString('latin1'))
  expect(clock.waiting).toEqual([])
  wire.write(get)
  await wire.until(/\}HTTP\/1\.1 200/)
})

test.each<DeliveryFault>([
  { kind: 'stall', bytes: 3 },
  { kind: 'truncate', bytes: 3 },
  { kind: 'drip', bytes: 3, everyMs: 100 },
])('%s: HEAD has the head', async (delivery) => {
  const { port } = await serving(delivery)
  const text = await dial(port, request('HEAD /')).until(/\r\n\r\n/)
  expect(text).toMatch(head)
  expect(bodyOf(text)).toBe('')
})

test('an answer that fails waits for its turn on a connection with several requests under way', async () => {
  const first = signal()
  const third = signal()
  const { port } = await serving(async ({ path }) => {
    if (path === '/1') await first.given
    if (path === '/3') third.give()
    const whole = { status: 200, headers: {}, body }
    return path === '/2' ? { ...whole, delivery: { kind: 'close' } } : whole
  })
  const { ended } = dial(port, request('GET /1') + request('GET /2') + request('GET /3'))
  await third.given
  first.give()
  const { text, by } = await ended
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
  expect(by).toBe('end')
})
