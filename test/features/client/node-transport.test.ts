import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { ConnectionError, createClient } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import { openapi } from '@svc/client/openapi'
import createOpenApiFetch from 'openapi-fetch'
import { afterEach, describe, expect, it } from 'vitest'
import { healthy, type Listening, listen, plainServer } from './servers.js'

const opened: Listening[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})
const serve = async (...args: Parameters<typeof plainServer>) => {
  const server = await plainServer(...args)
  opened.push(server)
  return server
}
const environment = {}

describe.each([
  ['nodeTransport()', { environment }],
  ['nodeTransport({ connections: 1 })', { environment, connections: 1 }],
])('%s', (_, options) => {
  const clientOf = (baseUrl: string, transport = nodeTransport(options)) =>
    createClient({ baseUrl, publicBaseUrl: baseUrl, apiKey: 'k', environment, transport, retry: false })

  it('keeps its connection for the calls that follow', async () => {
    const server = await serve()
    const svc = clientOf(server.url)
    for (let call = 0; call < 5; call++) await svc.health()
    expect([server.requests.length, server.connections]).toEqual([5, 1])
  })

  it('sends a body with its length, and the headers of the client', async () => {
    const bodies: Buffer[] = []
    const server = await serve((request, response) => {
      request
        .on('data', (chunk) => bodies.push(chunk))
        .on('end', () => {
          const project = { data: { id: 'hp-1', name: 'é' }, processing_time_ms: 1 }
          response
            .writeHead(201, { 'content-type': 'application/json', 'x-request-id': 'r1' })
            .end(JSON.stringify(project))
        })
    })
    const { data, response, requestId } = await clientOf(server.url).projects.create({ name: 'é' }).withResponse()
    expect([data.name, requestId, response.status]).toEqual(['é', 'r1', 201])
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ data: { id: 'hp-1', name: 'é' }, processing_time_ms: 1 })
    expect(Buffer.concat(bodies).toString()).toBe('{"name":"é"}')
    expect(server.requests[0]?.headers).toMatchObject({ 'content-length': '13', authorization: 'Bearer k' })
  })

  it('sends a large body whole, in pieces of its bytes', async () => {
    const server = await serve((request, response) => {
      buffer(request).then((body) => {
        const { name } = JSON.parse(String(body)) as { name: string }
        response.end(JSON.stringify({ data: { id: 'hp-1', name }, processing_time_ms: 1 }))
      })
    })
    for (const length of [262_130, 262_132, 262_134, 262_136, 1_000_000]) {
      const name = 'é'.repeat(length / 2)
      const project = await clientOf(server.url).projects.create({ name }, { validate: false })
      expect(project.name).toBe(name)
      expect(server.requests.at(-1)?.headers['content-length']).toBe(
        String(Buffer.byteLength(JSON.stringify({ name }))),
      )
    }
  })

  it('stops an upload of 4 MB before its next piece when it is aborted', async () => {
    const stop = new AbortController()
    let bytes = 0
    const server = await serve((request) => {
      request.on('error', () => {})
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        stop.abort('enough')
      })
    })
    const upload = { name: 'n', turns: Array(4).fill({ role: 'user', content: 'x'.repeat(1_000_000) }) }
    const call = clientOf(server.url).transcripts.upload('hp-1', upload, { signal: stop.signal })
    await expect(call).rejects.toBe('enough')
    while (server.open.size > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    // Two pieces of 256 KiB; all 4 MB came where they were written at once.
    expect(bytes).toBeLessThan(1_000_000)
  })

  it('gives the openapi-fetch clients a real Response, and takes their real Requests', async () => {
    const server = await serve()
    const { data, response } = await openapi(clientOf(server.url)).annotation.GET('/health')
    expect(response).toBeInstanceOf(Response)
    expect(data).toEqual({ status: 'ok', substrate: 'lambda' })
    const posted = await openapi(clientOf(server.url)).workspace.POST('/projects', { body: { name: 'n' } })
    expect([posted.response.status, server.requests[1]?.headers['content-length']]).toEqual([200, '12'])
  })

  it('ends a request of an openapi-fetch client with the reason of its signal, and frees the connection', async () => {
    const server = await serve((request) => void request.resume())
    const reason = new Error('the user pressed stop')
    const { annotation, workspace } = openapi(clientOf(server.url))
    await expect(annotation.GET('/health', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const bodies = [undefined, 'x'.repeat(4_000_000)]
    for (const name of bodies) {
      const stop = new AbortController()
      const { signal } = stop
      const seen = server.requests.length
      const call = name
        ? workspace.POST('/projects', { body: { name }, signal })
        : annotation.GET('/health', { signal })
      call.catch(() => {})
      while (server.requests.length === seen) await new Promise((resolve) => setTimeout(resolve, 1))
      stop.abort(reason)
      await expect(call).rejects.toBe(reason)
    }
    const stop = new AbortController()
    const call = workspace.POST('/projects', { body: { name: 'n' }, signal: stop.signal })
    stop.abort(reason)
    await expect(call).rejects.toBe(reason)
    while (server.open.size > 0) await new Promise((resolve) => setTimeout(resolve, 1))
  })

  it.each([[undefined], ['gzip']])(
    'ends the body of a wire with the reason of its signal, encoded: %s',
    async (encoding) => {
      const server = await serve((_, response) => {
        response.writeHead(200, {
          'content-type': 'application/json',
          ...(encoding && { 'content-encoding': encoding }),
        })
        response.write(encoding ? gzipSync('{"status":').subarray(0, 10) : '{"status":')
      })
      const reason = new Error('the user pressed stop')
      const stop = new AbortController()
      const { signal } = stop
      const { response } = await openapi(clientOf(server.url)).annotation.GET('/health', { signal, parseAs: 'stream' })
      const reading = response.text()
      reading.catch(() => {})
      stop.abort(reason)
      await expect(reading).rejects.toBe(reason)
      while (server.open.size > 0) await new Promise((resolve) => setTimeout(resolve, 1))
    },
  )

  it('sends a Date of an openapi-fetch client as ISO 8601', async () => {
    const server = await serve()
    const { workspace } = openapi(clientOf(server.url))
    const date = new Date('2026-01-02T03:04:05.678Z')
    // The spec says that a time is a text.
    const query = { date_from: date as unknown as string, q: 'a b', page: 2 }
    await workspace.GET('/projects/{projectId}/transcripts', { params: { path: { projectId: 'hp-1' }, query } })
    expect(server.requests[0]?.url).toBe(
      '/projects/hp-1/transcripts?date_from=2026-01-02T03%3A04%3A05.678Z&q=a%20b&page=2',
    )
  })

  it('has a fetch that openapi-fetch takes', async () => {
    const server = await serve()
    const transport = nodeTransport(options)
    const wire = createOpenApiFetch<Record<string, never>>({ baseUrl: server.url, fetch: transport.fetch })
    const { data } = await (wire as unknown as { GET(path: string): Promise<{ data: unknown }> }).GET('/health')
    expect(data).toEqual({ status: 'ok', substrate: 'lambda' })
    await transport.close()
  })

  it('has a fetch that heeds the signal of a request', async () => {
    const server = await serve(() => {})
    const transport = nodeTransport(options)
    const stop = new AbortController()
    const request = new Request(`${server.url}/health`, { signal: stop.signal })
    const waiting = transport.fetch(request).catch((error) => error)
    while (server.requests.length === 0) await new Promise(setImmediate)
    stop.abort(new Error('enough'))
    expect((await waiting).message).toBe('enough')
    await expect(transport.fetch(request)).rejects.toThrow('enough')
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['GZIP , br', (text: string) => brotliCompressSync(gzipSync(text))],
  ])('asks for gzip and br, and reads the coding "%s" of a success and of a refusal', async (coding, pack) => {
    const refusal = { error: 'not_found', detail: 'no such thing' }
    const server = await serve((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip, br')
      const fails = request.url === '/v1/annotators'
      const body = JSON.stringify(fails ? refusal : { status: 'ok', substrate: 'lambda' })
      response.writeHead(fails ? 404 : 200, { 'content-encoding': coding }).end(pack(body))
    })
    const svc = clientOf(server.url)
    expect((await svc.health()).status).toBe('ok')
    await expect(svc.annotators.list()).rejects.toMatchObject({ detail: 'no such thing' })
    const { response } = await openapi(svc).annotation.GET('/health', { parseAs: 'stream' })
    expect(await new Response(response.body).json()).toEqual({ status: 'ok', substrate: 'lambda' })
  })

  it.each(['gzip', 'br'])('reads the empty body of a HEAD whose coding is %s', async (coding) => {
    const server = await serve((_, response) => response.writeHead(200, { 'content-encoding': coding }).end())
    expect(await clientOf(server.url).request('annotation', 'HEAD', '/health')).toBe('')
  })

  it('sends nothing that was aborted before it could begin', async () => {
    const server = await serve()
    const stop = new AbortController()
    const transport = nodeTransport(options)
    const call = clientOf(server.url, transport).projects.create({ name: 'P' }, { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await transport.close()
    expect(server.requests).toEqual([])
  })

  it('does not meet a connection that the server closed while this process was busy', async () => {
    // In a process of its own, because this one is busy.
    const program = `require('http').createServer((request, response) => {
      const { socket } = request
      response.on('finish', () => setTimeout(() => socket.end(), 5))
      response.end('{"status":"ok","substrate":"lambda"}')
    }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [port] = await once(child.stdout, 'data')
    const svc = clientOf(`http://127.0.0.1:${Number(port)}`)
    try {
      for (let call = 0; call < 8; call++) {
        await svc.health()
        const until = performance.now() + 60
        while (performance.now() < until);
      }
    } finally {
      child.kill()
    }
  })

  it('fails at once where the answer is a change of protocols', async () => {
    const raw = await listen(
      createTcpServer(
        (socket) =>
          void socket.once('data', () =>
            socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
          ),
      ) as unknown as Parameters<typeof listen>[0],
    )
    opened.push(raw)
    await expect(clientOf(raw.url).health()).rejects.toMatchObject({ name: 'ConnectionError', phase: 'waiting' })
  })

  it('closes when the calls under way are answered, and leaves no connection', async () => {
    const waiting: ServerResponse[] = []
    const server = await serve((_, response) => void waiting.push(response))
    const transport = nodeTransport(options)
    const svc = clientOf(server.url, transport)
    const call = svc.health()
    while (waiting.length === 0) await new Promise(setImmediate)
    let closed = false
    const closing = transport.close().then(() => {
      closed = true
    })
    await new Promise(setImmediate)
    expect(closed).toBe(false)
    waiting[0]?.end(JSON.stringify({ status: 'ok', substrate: 'lambda' }))
    expect((await call).status).toBe('ok')
    await closing
    for (const socket of server.open) await once(socket, 'close')
    expect(server.open.size).toBe(0)
  })

  it('keeps no connection after it was closed', async () => {
    const server = await serve()
    const transport = nodeTransport(options)
    await transport.close()
    const svc = clientOf(server.url, transport)
    await svc.health()
    await svc.health()
    expect(server.connections).toBe(2)
    expect(server.requests.map(({ headers }) => headers.connection)).toEqual(['close', 'close'])
  })

  it('is closed by await using', async () => {
    const server = await serve()
    {
      await using transport = nodeTransport(options)
      await clientOf(server.url, transport).health()
      expect(server.open.size).toBe(1)
    }
    for (const socket of server.open) await once(socket, 'close')
    expect(server.open.size).toBe(0)
  })

  it('says that a server was not reached when its certificate exchange never comes', async () => {
    const silent = await listen(createTcpServer(() => {}) as unknown as Parameters<typeof listen>[0], 'https')
    opened.push(silent)
    const transport = nodeTransport({ ...options, connectTimeoutMs: 20 })
    const error = await clientOf(silent.url, transport)
      .health()
      .catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ phase: 'connecting', attempts: [{ cause: 'UND_ERR_CONNECT_TIMEOUT', sent: 'no' }] })
  })

  it('sends nothing to a server without TLS, and does not retry', async () => {
    const plain = await serve(healthy)
    const transport = nodeTransport(options)
    const error = await clientOf(plain.url.replace('http:', 'https:'), transport)
      .health()
      .catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({
      phase: 'connecting',
      attempts: [{ cause: expect.stringMatching(/^(EPROTO|ERR_SSL_)/), sent: 'no' }],
    })
    expect(plain.connections).toBe(1)
  })

  it('does not take an answer that takes its time for a server that was not reached', async () => {
    const server = await serve((request, response) => void setTimeout(() => healthy(request, response), 600))
    // Long enough for a connection on a busy machine.
    const transport = nodeTransport({ ...options, connectTimeoutMs: 300 })
    expect((await clientOf(server.url, transport).health()).status).toBe('ok')
  })
})

describe('a time-out over 300 s', () => {
  const over = { timeoutMs: 300_001 }

  it('a time-out over 300 s is refused on Node’s own fetch, with the hint what to do', async () => {
    expect(() => createClient(over)).toThrow('use nodeTransport() from @svc/client/node')
    const svc = createClient({ apiKey: 'k', baseUrl: 'https://svc.test', environment })
    await expect(svc.health(over)).rejects.toThrow('nodeTransport()')
  })

  it('a time-out over 300 s is accepted with nodeTransport() and with the caller’s fetch', () => {
    expect(createClient({ ...over, transport: nodeTransport({ environment }) })).toBeDefined()
    expect(createClient({ ...over, fetch: async () => new Response() })).toBeDefined()
  })
})
