import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { closeKept, dial, keep, request } from '../../test/fixtures/edge.js'
import { createServer, type FaultRule, referenceKey } from '../core.js'

afterEach(closeKept)

const authorization = `Authorization: Bearer ${referenceKey}\r\n`
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

const faults: FaultRule[] = [
  { kind: 'hang-before', on: 'health' },
  { kind: 'hang-after', on: 'health' },
  { kind: 'stall', on: 'health' },
  { kind: 'drip', on: 'health', bytes: 1, everyMs: 3_600_000 },
  { kind: 'latency', on: 'health', ms: 3_600_000 },
]

test.each(faults)('closes on its own while a client waits for $kind', async (fault) => {
  const server = createServer({ faults: [fault] })
  const { port, close } = await server.listen()
  const wire = dial(port, request('GET /health', authorization))
  // The server has read the bytes of the first connection before this later request.
  await fetch(`http://127.0.0.1:${port}/openapi.json`).then((response) => response.arrayBuffer())
  // Without a grace that ends, the test itself would time out.
  await close(fault.kind === 'latency' ? {} : { graceMs: 600_000 })
  await wire.ended
})

test('closes while clients never read, never write, and have closed their half of the connection', async () => {
  const server = createServer()
  const { port, close } = await server.listen()
  const unread = connect(port, '127.0.0.1').pause()
  unread.write(request('GET /openapi.json').repeat(200))
  const silent = dial(port)
  const halfOpen = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  halfOpen.on('error', () => {}).end(request('GET /health'))
  unread.on('error', () => {})
  await fetch(`http://127.0.0.1:${port}/health`)
  await close()
  await silent.ended
  unread.destroy()
  halfOpen.destroy()
})

test.runIf(hasIpv6)('is reached as localhost over IPv4 and IPv6, and closes both', async () => {
  for (const host of [undefined, 'localhost']) {
    const { port, baseUrl, close } = await createServer().listen(host === undefined ? {} : { host })
    expect(baseUrl).toBe(`http://${host ?? '127.0.0.1'}:${port}`)
    for (const address of ['127.0.0.1', '[::1]', 'localhost']) {
      const response = await fetch(`http://${address}:${port}/health`)
      expect([response.status, await response.json()]).toEqual([200, { status: 'ok', substrate: 'lambda' }])
    }
    await close({ graceMs: 600_000 })
    for (const address of ['127.0.0.1', '::1']) {
      const socket = connect(port, address)
      const code = await new Promise((resolve) =>
        socket.once('error', (error) => resolve((error as NodeJS.ErrnoException).code)),
      )
      expect(code).toBe('ECONNREFUSED')
    }
  }
})

test.runIf(hasIpv6)('names a port that only ::1 has in use, and frees the other address', async () => {
  const other = keep(await createServer().listen({ host: '::1' }))
  const server = createServer()
  await expect(server.listen({ port: other.port })).rejects.toMatchObject({
    message: `Cannot listen on [::1]:${other.port}: it is in use.`,
    code: 'EADDRINUSE',
  })
  expect(keep(await server.listen({ port: other.port, host: '127.0.0.1' })).port).toBe(other.port)
})
