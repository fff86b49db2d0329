import { Console } from 'node:console'
import { createServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { inspect } from 'node:util'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../../../test/helpers/long.js'
import { createClient } from './create-client.js'
import { type NodeTransport, nodeTransport } from './node/index.js'
import { openapi } from './openapi/index.js'
import type { ClientOptions } from './options.js'
import { tracedTransport } from './otel/index.js'

const key = 'sk-service-api03-CANARYaaaaaaaaa'
const text = 'TRANSCRIPT-TEXT my card is 4242'

/** Answers each connection with `answer`, as a server and as a proxy. */
let answer = ''
const sockets = new Set<Socket>()
const server = createServer((socket) => {
  sockets.add(socket)
  let request = ''
  socket
    .on('error', () => {})
    .on('close', () => sockets.delete(socket))
    .on('data', (data) => {
      request += data.toString('latin1')
      const [head = '', body] = request.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (body !== undefined && body.length >= length) socket.end(answer)
    })
})
let origin = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  origin = `http://127.0.0.1:${typeof address === 'object' && address?.port}`
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

const secret = fc.constantFrom(key, text)
const line = fc.oneof(
  secret.map((each) => `x-trace user=${each}`),
  secret.map((each) => `x-trace: ${each}`),
  fc.tuple(fc.constantFrom('\0', '\x01', '\x7f', 'é', '\t'), secret).map(([odd, each]) => `x-trace: a${odd}${each}`),
  secret.map((each) => `x-trace: a\r\n ${each}`),
  secret.map((each) => `x-trace: ${each.repeat(3_000)}`),
  secret.map((each) => `${each}: x`),
  secret.map((each) => `content-length: ${each}`),
  secret.map((each) => `content-type: ${each}`),
  secret.map((each) => `content-encoding: ${each}`),
  secret.map((each) => `location: https://other.test/${each}`),
  secret.map((each) => `set-cookie: ${each}; Path=/`),
  fc.constantFrom(
    `x-request-id: ${key}`,
    `retry-after: 0`,
    'content-length: 40',
    'content-length: 2\r\ncontent-length: 3',
    'content-encoding: gzip',
    'content-encoding: br',
    'transfer-encoding: chunked',
    'content-type: application/json',
  ),
)
const statusLine = fc.oneof(
  fc.constantFrom('HTTP/1.1 200 OK', 'HTTP/1.1 204 No Content', 'HTTP/1.1 302 Found', 'HTTP/1.1 101 '),
  secret.map((each) => `HTTP/1.1 200 ${each}`),
  secret.map((each) => `HTTP/1.1 200 \x01${each}`),
  secret.map((each) => `HTTP/1.1 ${each}`),
  secret.map((each) => `HTTP/${each} 200 OK`),
  secret,
)
const body = fc.oneof(
  secret.map((each) => `{"data":{"turns":[{"content":${JSON.stringify(each)}}]}`),
  secret.map((each) => JSON.stringify({ error: each, detail: each, data: [each] })),
  secret.map((each) => `<title>${each}</title>`),
  secret.map((each) => `4\r\n${each}\r\n`),
  secret.map((each) => `${each}\r\n\r\n`),
  secret,
)
const malformed = fc
  .tuple(statusLine, fc.array(line, { maxLength: 4 }), fc.constantFrom('\r\n', '\n', '\r'), body)
  .map(([status, lines, end, content]) => [status, ...lines].join(end) + end + end + content)

/** An error as each of the usual ways of printing it shows it. */
function printed(error: unknown): string {
  const stream = new PassThrough()
  new Console(stream, stream).error(error)
  const { stack, cause } = (error ?? {}) as Error
  const all = [inspect(error, { depth: Infinity, showHidden: true }), stream.read(), String(error)]
  return [...all, JSON.stringify(error), JSON.stringify(cause), inspect(structuredClone(error)), stack].join('\n')
}

const turns = [{ role: 'user' as const, content: text }]
const retry = { attempts: 1 }
type Client = ReturnType<typeof createClient>
const calls: Record<string, (svc: Client) => Promise<unknown>> = {
  'a read': (svc) => svc.transcripts.get('tr_1'),
  'a search': (svc) => svc.transcripts.list('hp-1', { q: text }).withResponse(),
  'an annotation': (svc) => svc.annotations.create({ transcript: turns, annotator: 'a' }),
  'an upload': (svc) => svc.transcripts.upload('hp-1', { name: 'n', turns }, { reconcile: false }),
  'an openapi-fetch client': (svc) =>
    openapi(svc).workspace.GET('/transcripts/{transcriptId}', { params: { path: { transcriptId: 't' } } }),
  'the stream of an openapi-fetch client': async (svc) => {
    const params = { path: { transcriptId: 't' } }
    const { data } = await openapi(svc).workspace.GET('/transcripts/{transcriptId}', { params, parseAs: 'stream' })
    return new Response(data as unknown as ReadableStream).arrayBuffer()
  },
}

interface Way {
  options: ClientOptions
  host?: string
  isTraced?: boolean
}
const ways: Record<string, () => Way> = {
  'the global fetch': () => ({ options: {} }),
  'nodeTransport()': () => ({ options: { transport: nodeTransport({ environment: {} }) } }),
  'nodeTransport({ connections })': () => ({
    options: { transport: nodeTransport({ environment: {}, connections: 2 }) },
  }),
  'a proxy': () => ({
    host: 'http://svc.test',
    options: { transport: nodeTransport({ environment: { HTTP_PROXY: origin }, allowHttp: true }), allowHttp: true },
  }),
  'the tunnel of a proxy': () => ({
    host: 'https://svc.test',
    options: { transport: nodeTransport({ environment: { HTTPS_PROXY: origin } }) },
  }),
}

/** All output of a client during a call: its error, events, log and spans. */
async function shownBy(call: (svc: Client) => Promise<unknown>, { options, host = origin, isTraced = true }: Way) {
  const seen: string[] = []
  const log = (message: string) => seen.push(message)
  const spans = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  const svc = createClient({
    ...{ environment: {}, apiKey: key, baseUrl: host, publicBaseUrl: host, retry },
    ...options,
    ...(isTraced && { transport: tracedTransport({ transport: options.transport, tracerProvider }) }),
    onEvent: (event) => seen.push(JSON.stringify(event)),
    logger: { debug: log, warn: log },
    hooks: { onResponse: () => {} },
  })
  const error = await errorOf(call(svc))
  return [error && printed(error), ...seen, inspect(spans.getFinishedSpans(), { depth: 6 })].join('\n')
}

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error,
  )

const open = (way: string) => ways[way]?.() ?? expect.unreachable()

describe.each(Object.keys(ways))('over %s', (way) => {
  it('errors, events, logs and spans show neither the key nor text', async () => {
    await fc.assert(
      fc.asyncProperty(malformed, fc.constantFrom(...Object.values(calls)), async (drawn, call) => {
        // Node's fetch may wait for ever for the end of a body that is not what its content-encoding says.
        fc.pre(way !== 'the global fetch' || !/content-encoding: (gzip|br)/.test(drawn))
        answer = drawn
        const shown = await shownBy(call, open(way))
        expect(shown).not.toContain(key)
        expect(shown).not.toContain('TRANSCRIPT-TEXT')
      }),
      { numRuns: runs(50) },
    )
  })

  it.skipIf(way === 'the global fetch')(
    'the errors of the transport itself show neither the key nor text',
    async () => {
      await fc.assert(
        fc.asyncProperty(malformed, async (drawn) => {
          answer = drawn
          const { options, host = origin } = open(way)
          const request = new Request(`${host}/?q=${text}`, { headers: { authorization: `Bearer ${key}` } })
          const sent = (options.transport as NodeTransport | undefined)
            ?.fetch(request)
            .then((response) => response.arrayBuffer())
          const shown = printed(await errorOf(sent ?? expect.unreachable()))
          expect(shown).not.toContain(key)
          expect(shown).not.toContain('TRANSCRIPT-TEXT')
        }),
        { numRuns: runs(30) },
      )
    },
  )
})

const field = fc.option(fc.oneof(secret, fc.constantFrom('ECONNRESET', 'FetchError', 'read', '127.0.0.1')), {
  nil: undefined,
})
const names = ['name', 'message', 'stack', 'code', 'errno', 'syscall', 'address', 'proxy', 'config', 'data'] as const
const thrown: fc.Memo<object> = fc.memo((depth) => {
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, field])))
  const inner =
    depth > 1 ? fc.record({ cause: thrown(), errors: fc.array(thrown(), { maxLength: 2 }) }) : fc.constant({})
  return fc.tuple(fields, inner, fc.boolean()).map(([own, nested, isError]) => {
    const { message, stack, ...more } = own
    const error = isError ? new Error(message) : { message }
    return Object.assign(error, { ...more, ...(stack && { stack }), ...nested })
  })
})

describe('over a fetch of the caller', () => {
  it('errors, events, logs and spans show nothing of what it rejects with but known fields', async () => {
    await fc.assert(
      fc.asyncProperty(thrown(3), fc.constantFrom(...Object.values(calls)), async (error, call) => {
        const options = { fetch: () => Promise.reject(error) }
        const shown = await shownBy(call, { options, isTraced: false })
        expect(shown).not.toContain(key)
        expect(shown).not.toContain('TRANSCRIPT-TEXT')
      }),
      { numRuns: runs(50) },
    )
  })

  it('a cause keeps its code, its address and the places in its stack', async () => {
    const { cause } = await errorOf(
      createClient({
        ...{ environment: {}, apiKey: key, baseUrl: origin, retry },
        fetch: async () => {
          const refused = new Error('connect ECONNREFUSED 127.0.0.1:9')
          const cause = Object.assign(refused, {
            code: 'ECONNREFUSED',
            syscall: 'connect',
            address: '127.0.0.1',
            port: 9,
          })
          throw new TypeError('fetch failed', { cause })
        },
      }).health(),
    )
    expect(cause).toMatchObject({ name: 'TypeError', message: 'fetch failed' })
    expect(cause.stack).toMatch(/^TypeError: fetch failed\n {4}at .*no-secrets\.test\.ts/)
    const message = 'connect ECONNREFUSED 127.0.0.1:9'
    expect(cause.cause).toMatchObject({ message, code: 'ECONNREFUSED', address: '127.0.0.1', port: 9 })
  })
})
