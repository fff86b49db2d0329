import { createServer as createTcpServer, type Socket } from 'node:net'
import { type NodeTransportOptions, nodeTransport } from '@svc/client/node'
import { afterEach, describe, expect, it } from 'vitest'
import { type Listening, listen, plainServer } from './servers.js'

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

/** A server that answers each request with the given bytes. */
async function speaking(...answers: ((socket: Socket) => void)[]): Promise<Listening & { heard: string[] }> {
  const heard: string[] = []
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      heard.push(bytes.toString('latin1'))
      answers.shift()?.(socket)
    })
  })
  const listening = await listen(server as unknown as Parameters<typeof listen>[0])
  opened.push(listening)
  return Object.assign(listening, { heard })
}

const ok = (more = '', body = 'ok') => `HTTP/1.1 200 OK\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`
const says = (text: string) => (socket: Socket) => void socket.write(text, 'latin1')

function sender(options: NodeTransportOptions) {
  const transport = nodeTransport(options)
  opened.push(transport)
  return async (url: string, body: string | null = null) => {
    const answer = await transport.fetch(new Request(url, { method: body === null ? 'GET' : 'POST', body }))
    return await answer.text()
  }
}
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

describe.each([
  ['nodeTransport()', { environment: {} }],
  ['nodeTransport({ connections: 1 })', { environment: {}, connections: 1 }],
])('a connection of %s', (_, options) => {
  it('is not used again after unexpected bytes', async () => {
    const server = await speaking(says(ok('', 'one') + ok('', 'smuggled')), says(ok('', 'two')))
    const send = sender(options)
    expect(await send(`${server.url}/1`)).toBe('one')
    await turns()
    expect(await send(`${server.url}/2`)).toBe('two')
    expect(server.connections).toBe(2)
  })

  it('that spoke between two requests gives none of it to the second', async () => {
    const server = await speaking(says(ok('', 'one')), says(ok('', 'two')))
    const send = sender(options)
    expect(await send(`${server.url}/1`)).toBe('one')
    for (const socket of server.open) socket.write(ok('', 'smuggled'))
    await turns()
    expect(await send(`${server.url}/2`)).toBe('two')
  })

  it('is not kept where the server keeps it for a second only', async () => {
    const server = await speaking(says(ok('Keep-Alive: timeout=1\r\n', 'one')), says(ok('', 'two')))
    const send = sender(options)
    for (const [at, text] of ['one', 'two'].entries()) expect(await send(`${server.url}/${at}`)).toBe(text)
    expect(server.connections).toBe(2)
  })

  it('is not used again when it was answered before all was sent', async () => {
    const server = await speaking((socket) => void socket.pause().write(ok('', 'early')), says(ok('', 'two')))
    const send = sender(options)
    expect(await send(`${server.url}/1`, 'x'.repeat(24e6))).toBe('early')
    expect(await send(`${server.url}/2`)).toBe('two')
    expect(server.connections).toBe(2)
  })

  it('waits for who reads slowly, and loses nothing', async () => {
    const body = Buffer.alloc(8e6, 'abcdefg')
    const server = await plainServer((_, response) => void response.end(body))
    opened.push(server)
    const transport = nodeTransport(options)
    opened.push(transport)
    const answer = await transport.fetch(new Request(server.url))
    await turns()
    const parts: Uint8Array[] = []
    for await (const part of answer.body ?? []) {
      parts.push(part)
      await new Promise(setImmediate)
    }
    expect(Buffer.concat(parts).equals(body)).toBe(true)
  })
})

describe('a connection to a proxy', () => {
  it('a connection to a proxy is not used again when it was answered before all was sent', async () => {
    const proxy = await speaking((socket) => void socket.pause().write(ok('', 'early')), says(ok('', 'two')))
    const send = sender({ environment: { http_proxy: proxy.url }, allowHttp: true })
    expect(await send('http://svc.test/1', 'x'.repeat(24e6))).toBe('early')
    expect(await send('http://svc.test/2')).toBe('two')
    expect(proxy.connections).toBe(2)
  })
})
