import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createClient } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import { goals } from './goals.js'
import { heading, remark, row } from './page.js'

/** Bytes of a 4 MB upload that a server is sent after its caller has aborted the call, at the first byte that came. */
export async function benchAbort(): Promise<void> {
  heading('An abort of an upload of 4 MB', 'kB that the server got after it')
  const transport = nodeTransport({ environment: {} })
  row('@svc/client over nodeTransport()', await sentAfterAbort({ transport }), 'kB', { goal: goals.afterAbort })
  row('@svc/client', await sentAfterAbort({}), 'kB')
  remark("Node's own fetch writes a body at once, as far as the system takes it.")
  await transport.close()
}

async function sentAfterAbort(options: { transport?: ReturnType<typeof nodeTransport> }): Promise<number> {
  const stop = new AbortController()
  let after = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', ({ length }) => {
      if (stop.signal.aborted) after += length
      stop.abort()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const publicBaseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const svc = createClient({ apiKey: 'k', publicBaseUrl, environment: {}, ...options })
  const turns = Array(4).fill({ role: 'user', content: 'x'.repeat(1_000_000) })
  await svc.transcripts.upload('hp-1', { name: 'n', turns }, { signal: stop.signal }).catch(() => {})
  // Its connection is closed when the server has read what there was.
  await new Promise((resolve) => server.close(resolve))
  return after / 1_000
}
