import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import { afterAll, beforeAll, expect, it } from 'vitest'

// The one place where time is real: what Node does by itself after 300 s, no other clock can show.
const slowMs = 303_000
const server = createServer((_, response) => {
  setTimeout(() => response.end(JSON.stringify({ status: 'ok', substrate: 'lambda' })), slowMs)
})
const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const options = { environment: {}, retry: false as const, timeoutMs: 400_000 }

it.concurrent(
  `an answer after ${slowMs / 1_000} s arrives over nodeTransport()`,
  async () => {
    const transport = nodeTransport({ environment: {} })
    const svc = createClient({ ...options, baseUrl: base(), transport })
    expect(await svc.health()).toEqual({ status: 'ok', substrate: 'lambda' })
    await transport.close()
  },
  slowMs + 30_000,
)

it.concurrent(
  'and not over Node’s own fetch, which is why a longer time-out is refused there',
  async () => {
    // Handed in as if it were the caller's own, so that the client does not refuse.
    const svc = createClient({ ...options, baseUrl: base(), fetch: (request) => fetch(request) })
    await expect(svc.health()).rejects.toMatchObject({ attempts: [{ cause: 'UND_ERR_HEADERS_TIMEOUT' }] })
  },
  slowMs + 30_000,
)
