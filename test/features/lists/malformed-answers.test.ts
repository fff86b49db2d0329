import { createServer, type Socket } from 'node:net'
import { nodeTransport } from '@svc/client/node'
import { referenceKey } from '@svc/reference-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const text = 'TRANSCRIPT-TEXT my card is 4242'
const answers = {
  'a header without a colon': `HTTP/1.1 200 OK\r\nx-trace user=${referenceKey} ${text}\r\n\r\n{}`,
  'a status line that is none': `HTTP/1.1 ${referenceKey} ${text}\r\n\r\n`,
  'a chunk that is none': `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${referenceKey} ${text}\r\n`,
  'a body that is not compressed': `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n${referenceKey} ${text}`,
  'a body that is not JSON': `HTTP/1.1 200 OK\r\n\r\n{"data":"${referenceKey} ${text}`,
}

const transport = nodeTransport({ environment: {} })
let answer = ''
const sockets = new Set<Socket>()
const server = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  socket.once('data', () => socket.end(answer))
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(async () => {
  await transport.close()
  for (const socket of sockets) socket.destroy()
  server.close()
})

describe.each(Object.entries(answers))('after %s', (_, malformed) => {
  it.each([
    'transcripts get tr_1',
    'transcripts list',
    'annotators list',
    'annotate t.json --annotator a',
    'check t.json --annotator a',
    'api POST /v1/annotations -f a=b',
  ])('svc %s shows neither the key nor text, and no bug', async (command) => {
    answer = malformed
    const { port } = server.address() as { port: number }
    const url = `http://127.0.0.1:${port}`
    const { svc, clock } = createShell()
    const run = svc([...command.split(' '), '--debug', '--json'], {
      env: { SVC_BASE_URL: url, SVC_PUBLIC_BASE_URL: url },
      files: { 't.json': { name: 't', turns: [{ role: 'user', content: text }] } },
      io: { fetch: transport.fetch },
    })
    const { code, out, err } = await clock.until(run)
    expect(code).not.toBe(1)
    expect(out + err).not.toContain(referenceKey)
    // `svc api` prints a body as it is.
    expect(command.startsWith('api') ? err : out + err).not.toContain('TRANSCRIPT-TEXT')
  })
})
