import http from 'node:http'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { FaultRule } from './faults/index.js'
import { createReferenceServer } from './index.js'

const network = setupServer()
beforeAll(() => network.listen({ onUnhandledRequest: 'error' }))
afterEach(() => network.resetHandlers())
afterAll(() => network.close())

const health = '{"status":"ok","substrate":"lambda"}'
const url = 'http://svc.test/health'

function under(fault: FaultRule) {
  network.use(...createReferenceServer({ baseUrl: 'http://svc.test', faults: [fault] }).handlers)
}

/** Sends a GET with `node:http`: the body as far as it was received, and the code of an error. */
const asked = () =>
  new Promise<string>((resolve) => {
    let seen = ''
    // By its object, on which MSW puts its own.
    http
      .get(url, (response) => {
        response.on('data', (chunk) => {
          seen += chunk
        })
        response.on('error', (error: NodeJS.ErrnoException) => resolve(`${seen} ${error.code}`))
        response.on('end', () => resolve(seen))
      })
      .on('error', (error) => resolve(error.message))
  })

test.each<FaultRule>([{ kind: 'reset-before' }, { kind: 'reset-after' }, { kind: 'lost' }])(
  '$kind is a failure of the network, without a code',
  async (fault) => {
    under(fault)
    await expect(fetch(url)).rejects.toMatchObject({ name: 'TypeError', message: 'Failed to fetch' })
    expect(await asked()).toBe('Network error')
  },
)

test('rejects a truncated body after its first bytes', async () => {
  under({ kind: 'truncate', bytes: 5 })
  const response = await fetch(url)
  expect([response.status, response.headers.get('content-length')]).toEqual([200, String(health.length)])
  await expect(response.text()).rejects.toMatchObject({ message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } })
  expect(await asked()).toBe('{"sta ECONNRESET')
})

test.each<FaultRule>([{ kind: 'hang-before' }, { kind: 'hang-after' }, { kind: 'stall', bytes: 5 }])(
  '$kind lasts until the caller aborts, and shows the reason',
  async (fault) => {
    under(fault)
    const controller = new AbortController()
    const reason = new Error('enough')
    const text = fetch(url, { signal: controller.signal }).then((response) => {
      setImmediate(() => controller.abort(reason))
      return response.text()
    })
    if (fault.kind !== 'stall') setImmediate(() => controller.abort(reason))
    await expect(text).rejects.toBe(reason)
  },
)

test('a dripping answer comes whole', async () => {
  under({ kind: 'drip', bytes: 5, everyMs: 1 })
  expect(await (await fetch(url)).text()).toBe(health)
  expect(await asked()).toBe(health)
})
