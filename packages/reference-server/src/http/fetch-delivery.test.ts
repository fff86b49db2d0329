import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { edgeOf, turnedClock } from '../../test/fixtures/edge.js'
import { basesOf } from '../bases.js'
import type { DeliveryFault } from '../http-messages.js'
import { createFetch } from './fetch.js'

const body = '{"ä":"0123456789"}'

function asking(delivery: DeliveryFault, { method = 'GET', status = 200 } = {}) {
  const clock = turnedClock()
  const controller = new AbortController()
  const bases = basesOf('http://svc.test', 'http://svc.test/b')
  const answer = async () => ({ status, headers: { 'content-type': 'application/json' }, body, delivery })
  const fetch = createFetch(answer, () => bases, edgeOf(clock))
  const request = new Request('http://svc.test/', { method, signal: controller.signal })
  const listeners = () => getEventListeners(request.signal, 'abort').length
  const before = listeners()
  return { clock, controller, answered: fetch(request), kept: () => listeners() - before }
}

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('latin1')
const reason = new Error('enough')

test.each([
  ['reset', 'ECONNRESET'],
  ['close', 'UND_ERR_SOCKET'],
] as const)('%s fails as fetch fails, with the code %s', async (kind, code) => {
  const { answered, kept } = asking({ kind })
  await expect(answered).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code } })
  expect(kept()).toBe(0)
})

test('hang ends with the reason of the signal', async () => {
  const { answered, controller } = asking({ kind: 'hang' })
  setImmediate(() => controller.abort(reason))
  await expect(answered).rejects.toBe(reason)
})

test('truncate gives the whole length and the first bytes, and then the stream fails', async () => {
  const { answered, kept } = asking({ kind: 'truncate', bytes: 3 })
  const response = await answered
  expect(response.headers.get('content-length')).toBe('19')
  const reader = response.body?.getReader()
  expect(text((await reader?.read())?.value)).toBe('{"\xc3')
  const cause = { code: 'UND_ERR_SOCKET' }
  await expect(reader?.read()).rejects.toMatchObject({ name: 'TypeError', message: 'terminated', cause })
  expect(kept()).toBe(0)
})

test('truncate never gives all, however many bytes it may', async () => {
  const response = await asking({ kind: 'truncate', bytes: 1000 }).answered
  await expect(response.json()).rejects.toMatchObject({ message: 'terminated' })
})

test('stall gives the first bytes, and then nothing until the signal ends it', async () => {
  const { answered, controller, kept } = asking({ kind: 'stall', bytes: 1 })
  const response = await answered
  expect(response.headers.get('content-length')).toBe('19')
  const reader = response.body?.getReader()
  expect(text((await reader?.read())?.value)).toBe('{')
  const next = reader?.read()
  setImmediate(() => controller.abort(reason))
  await expect(next).rejects.toBe(reason)
  expect(kept()).toBe(0)
})

test('drip gives bytes by the clock', async () => {
  const { answered, clock, kept } = asking({ kind: 'drip', bytes: 8, everyMs: 50 })
  const reader = (await answered).body?.getReader()
  const got: string[] = []
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) break
    got.push(text(value))
    // The stream asks for its next piece by itself.
    await new Promise(setImmediate)
    if (clock.waiting.length > 0) {
      expect(clock.waiting).toEqual([50])
      clock.turn()
    }
  }
  expect(got).toEqual(['{"\xc3\xa4":"0', '12345678', '9"}'])
  expect([clock.waiting, kept()]).toEqual([[], 0])
})

test('sends a drip that fits in one piece, and leaves no timer', async () => {
  const { answered, clock, kept } = asking({ kind: 'drip', bytes: 100, everyMs: 50 })
  expect(await (await answered).text()).toBe(body)
  expect([clock.waiting, kept()]).toEqual([[], 0])
})

const unending: DeliveryFault[] = [
  { kind: 'stall', bytes: 3 },
  { kind: 'drip', bytes: 3, everyMs: 50 },
]

test.each(unending)('$kind: an abort after the head fails the body, and leaves nothing behind', async (delivery) => {
  const { answered, clock, controller, kept } = asking(delivery)
  const response = await answered
  controller.abort(reason)
  await expect(response.text()).rejects.toBe(reason)
  expect([clock.waiting, kept()]).toEqual([[], 0])
})

test.each(unending)('$kind: a cancelled body leaves nothing behind', async (delivery) => {
  const { answered, clock, kept } = asking(delivery)
  await (await answered).body?.cancel()
  expect([clock.waiting, kept()]).toEqual([[], 0])
})

test.each(unending)('$kind: HEAD has the head, and 204 no length', async (delivery) => {
  const head = await asking(delivery, { method: 'HEAD' }).answered
  expect([head.headers.get('content-length'), await head.text()]).toEqual(['19', ''])
  const none = await asking(delivery, { status: 204 }).answered
  expect([none.status, none.headers.get('content-length')]).toEqual([204, null])
})

test('responds with 500 to a response that the Response class refuses', async () => {
  const bases = basesOf('http://svc.test', 'http://svc.test/b')
  for (const answer of [
    { status: 200, headers: { 'x-broken': 'a\nb' }, body },
    { status: 99, headers: {}, body },
  ]) {
    const fetch = createFetch(
      async () => answer,
      () => bases,
      edgeOf(turnedClock()),
    )
    const response = await fetch(new Request('http://svc.test/b/x'))
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ error: { message: 'The server failed.', type: 'api_error', code: 500 } })
  }
})
