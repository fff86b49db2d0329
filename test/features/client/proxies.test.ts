import { createServer } from 'node:net'
import { ConnectionError, createClient } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
import { openapi } from '@svc/client/openapi'
import { afterEach, describe, expect, it } from 'vitest'
import { listen, plainServer, proxyServer } from './servers.js'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})
const kept = <T extends { close(): Promise<void> }>(server: T): T => {
  opened.push(server)
  return server
}
const start = async (password?: string) => {
  const [server, proxy] = [kept(await plainServer()), kept(await proxyServer(password))]
  return { server: Object.assign(server, { url: server.url.replace('127.0.0.1', 'svc.test') }), proxy }
}

/** One call of a client whose transport has this environment, and which may send over plain http. */
async function call({ url }: { url: string }, environment: Record<string, string>, allowHttp = true) {
  const transport = kept(nodeTransport({ environment, allowHttp }))
  const svc = createClient({ baseUrl: url, apiKey: 'k', environment: {}, allowHttp: true, transport, retry: false })
  return svc.annotators.list().then(
    () => 'answered',
    (error) => (error.kind === 'unexpected' ? 'answered' : error),
  )
}

describe('a proxy', () => {
  it.each(['HTTP_PROXY', 'http_proxy'])('named by %s is asked for the whole URL', async (name) => {
    const { server, proxy } = await start()
    expect(await call(server, { [name]: proxy.url })).toBe('answered')
    expect(proxy.urls).toEqual([`${server.url}/v1/annotators`])
    expect([proxy.tunnels, server.requests.length]).toEqual([[], 1])
  })

  it('a proxy may be named without a scheme, as for curl', async () => {
    const { server, proxy } = await start()
    expect(await call(server, { HTTP_PROXY: proxy.url.slice('http://'.length) })).toBe('answered')
    expect(proxy.requests).toHaveLength(1)
  })

  it('a proxy that is no URL is refused when the transport is made', () => {
    const make = () => nodeTransport({ environment: { HTTPS_PROXY: 'http://[' } })
    expect(make).toThrow('expected the URL of a proxy in HTTPS_PROXY')
  })

  it('named in lower case comes before one in capitals', async () => {
    const { server, proxy } = await start()
    expect(await call(server, { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: proxy.url })).toBe('answered')
    expect(proxy.requests).toHaveLength(1)
  })

  it.each([
    ['for https alone', (url: string) => ({ HTTPS_PROXY: url })],
    ['by an empty variable', () => ({ HTTP_PROXY: '', http_proxy: '' })],
    [
      'by a full one behind an empty one, for a host that NO_PROXY names',
      (url: string) => ({ http_proxy: '', HTTP_PROXY: url, NO_PROXY: 'svc.test' }),
    ],
    ['for a host that no_proxy names', (url: string) => ({ HTTP_PROXY: url, no_proxy: 'localhost, .Test' })],
    ['where NO_PROXY is *', (url: string) => ({ HTTP_PROXY: url, NO_PROXY: '*' })],
  ])('named %s is not asked', async (_, environment) => {
    const { server, proxy } = await start()
    // Nobody knows that name, so that the call fails where it goes to the host itself.
    expect(await call(server, environment(proxy.url), false)).toMatchObject({ phase: 'connecting' })
    expect(proxy.connections).toBe(0)
  })

  it.each(['127.0.0.1', 'localhost', '127.8.0.1', '[::1]'])('a proxy is never used for loopback: %s', async (host) => {
    const { proxy } = await start()
    const server = kept(await plainServer())
    const environment = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }
    for (const scheme of ['http', 'https'])
      await call({ url: `${scheme}://${host}:${server.port}` }, environment, false)
    expect(proxy.connections).toBe(0)
  })

  it.each(['svc.test', 'svc.localhost', '127.0.0.1.svc.test'])(
    'a proxy is not asked over plain http without allowHttp, and the refusal says what to do: %s',
    async (host) => {
      const { server, proxy } = await start()
      const url = `http://${host}:${server.port}`
      const error = await call({ url }, { HTTP_PROXY: proxy.url }, false)
      expect(error).toMatchObject({ name: 'InputError', reason: 'invalid_base_url' })
      expect(error.message).toContain(`to ${host} over plain http through a proxy; use https`)
      expect(proxy.connections).toBe(0)
    },
  )

  it('a proxy is named for a host only where NO_PROXY does not give its port', async () => {
    const { server, proxy } = await start()
    const environment = (port: number) => ({ HTTP_PROXY: proxy.url, NO_PROXY: `svc.test:${port}` })
    expect(await call(server, environment(server.port))).toMatchObject({ phase: 'connecting' })
    expect(await call(server, environment(1))).toBe('answered')
    expect(proxy.connections).toBe(1)
  })

  it('receives the password of its URL', async () => {
    const { server, proxy } = await start('pass word')
    expect(await call(server, { HTTP_PROXY: proxy.url.replace('//', '//me:pass%20word@') })).toBe('answered')
  })

  it('means that nothing reached the service if it requires a password', async () => {
    const { server, proxy } = await start('password')
    const error = await call(server, { HTTP_PROXY: proxy.url })
    expect(error).toMatchObject({ phase: 'connecting', attempts: [{ sent: 'no', cause: 'ERR_PROXY_REFUSED' }] })
    expect(error.cause).toMatchObject({ message: expect.stringContaining('407'), proxyStatus: 407 })
    expect(server.requests).toEqual([])
  })

  it('a proxy that closes the connection is asked once, and nothing reached the service', async () => {
    const closing = createServer((socket) => socket.once('data', () => socket.end()))
    const proxy = kept(await listen(closing as unknown as Parameters<typeof listen>[0]))
    const error = await call({ url: 'https://svc.test' }, { HTTPS_PROXY: proxy.url })
    expect(error).toMatchObject({ phase: 'connecting', attempts: [{ sent: 'no', cause: 'ERR_PROXY_REFUSED' }] })
    expect(error.message).toContain(`through the proxy ${proxy.url}, which closed the connection`)
    expect(proxy.connections).toBe(1)
  })

  it('a proxy that never answers is waited for no longer when a request of an openapi-fetch client is aborted', async () => {
    const silent = createServer(() => {})
    const proxy = kept(await listen(silent as unknown as Parameters<typeof listen>[0]))
    const transport = nodeTransport({ environment: { HTTPS_PROXY: proxy.url }, connectTimeoutMs: 60_000 })
    const svc = createClient({ baseUrl: 'https://svc.test', environment: {}, transport })
    const stop = new AbortController()
    const call = openapi(svc).annotation.GET('/health', { signal: stop.signal })
    call.catch(() => {})
    while (proxy.open.size === 0) await new Promise(setImmediate)
    stop.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
  })

  it('a proxy that is not there means that nothing was sent', async () => {
    const { server } = await start()
    const error = await call(server, { HTTP_PROXY: 'http://me:password@127.0.0.1:1' })
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ phase: 'connecting', attempts: [{ sent: 'no', cause: 'ECONNREFUSED' }] })
    expect(`${error}${JSON.stringify(error)}`).not.toContain('password')
  })
})
