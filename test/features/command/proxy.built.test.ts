import { execFile, spawn } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Io, realIo, run } from '@svc/cli'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { install } from '../../helpers/installed.js'
import { plainServer, proxyServer, secureServer } from '../client/servers.js'

let app: ReturnType<typeof install>
let service: Awaited<ReturnType<typeof secureServer>>
beforeAll(async () => {
  app = install(['cli'])
  service = await secureServer()
  writeFileSync(join(app.folder, 'ca.pem'), service.certificate)
}, 60_000)
afterAll(async () => {
  await service.close()
  app.remove()
})

const opened: { close(): Promise<void> }[] = []
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())))
async function opening<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const server = await starting
  opened.push(server)
  return server
}

/** Runs the installed command, which knows nothing but these variables, and trusts the service. */
const installed = (args: string[], env: Record<string, string>) =>
  new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    const own = { PATH: process.env.PATH, HOME: app.folder, NODE_EXTRA_CA_CERTS: join(app.folder, 'ca.pem'), ...env }
    execFile(join(app.folder, 'node_modules/.bin/svc'), args, { env: own }, (error, out, err) =>
      resolve({ code: error ? error.code : 0, out, err }),
    )
  })

/** Runs the command in this process, which knows nothing but these variables. */
async function svc(args: string[], own: Record<string, string>, more: Partial<Io> = {}) {
  const written = { out: '', err: '' }
  const output = (name: 'out' | 'err') => ({
    ...{ isTTY: false, columns: 100 },
    write(text: string) {
      written[name] += text
    },
  })
  const signals = { signal: new AbortController().signal, onSignal: () => () => {} }
  const streams = { stdout: output('out'), stderr: output('err') }
  const env = { HOME: app.folder, ...own }
  const code = await run(args, { ...realIo(process, app.folder, signals), ...streams, env, ...more })
  return { code, ...written }
}

/** The base URL of a server under a name that the proxy alone can resolve. */
const named = ({ port }: { port: number }, scheme = 'https') => ({ SVC_BASE_URL: `${scheme}://svc.test:${port}` })
const health = { code: 0, out: 'status\tok\nsubstrate\tlambda\n', err: '' }

it('the installed svc needs no other package', async () => {
  expect(readdirSync(join(app.folder, 'node_modules/@svc'))).toEqual(['cli'])
  expect(await installed(['mock', '--', 'svc', 'health'], {})).toEqual({ ...health, err: expect.any(String) })
})

it('svc asks the service through the tunnel of HTTPS_PROXY', async () => {
  const proxy = await opening(proxyServer())
  expect(await installed(['health'], { ...named(service), HTTPS_PROXY: proxy.url })).toEqual(health)
  expect(proxy.tunnels).toEqual([`svc.test:${service.port}`])
})

it('svc gives the proxy the login of its URL', async () => {
  const proxy = await opening(proxyServer('pass word'))
  const url = proxy.url.replace('//', '//me:pass%20word@')
  expect(await installed(['health'], { ...named(service), HTTPS_PROXY: url })).toEqual(health)
})

it('svc goes past the proxy for a host of NO_PROXY', async () => {
  const proxy = await opening(proxyServer())
  // Nobody else knows the name, so that the request fails where it goes to the host itself.
  const { code, err } = await svc(['health'], { ...named(service), HTTPS_PROXY: proxy.url, NO_PROXY: 'svc.test' })
  expect([code, err]).toEqual([75, expect.stringContaining('(ENOTFOUND)')])
  expect(proxy.connections).toBe(0)
})

it('svc names a proxy that is not there, without its password, and so does doctor', async () => {
  const env = { ...named(service), SVC_API_KEY: 'key', HTTPS_PROXY: 'http://me:password@127.0.0.1:1' }
  const asked = await svc(['health'], env)
  expect([asked.code, asked.err]).toEqual([
    75,
    `svc: health: could not connect to ${env.SVC_BASE_URL} through the proxy http://127.0.0.1:1 (ECONNREFUSED) ` +
      `(GET ${env.SVC_BASE_URL}/health)\n` +
      'hint: check HTTPS_PROXY, and whether NO_PROXY must name this host\n',
  ])
  const { code, out } = await svc(['doctor'], env)
  expect(code).toBe(3)
  expect(out).toContain('problem\tproxy\tthe proxy http://127.0.0.1:1 for svc.test')
  expect(out).not.toContain('password')
})

it('svc api names a proxy that is not there, without its password', async () => {
  const env = { ...named(service), HTTPS_PROXY: 'http://me:password@127.0.0.1:1' }
  expect(await svc(['api', 'GET', '/health'], env)).toEqual({
    code: 75,
    out: '',
    err:
      `svc: request: could not connect to ${env.SVC_BASE_URL} through the proxy http://127.0.0.1:1 (ECONNREFUSED) (GET ${env.SVC_BASE_URL}/health)\n` +
      'hint: check HTTPS_PROXY, and whether NO_PROXY must name this host\n',
  })
})

it('svc explains how to fix the login of a proxy', async () => {
  const proxy = await opening(proxyServer('password'))
  const env = { ...named(service), HTTPS_PROXY: proxy.url.replace('//', '//me:secret@') }
  const { code, err } = await svc(['health'], env)
  expect([code, err]).toEqual([
    75,
    expect.stringContaining(`through the proxy ${proxy.url}, which answered 407 (ERR_PROXY_REFUSED)`),
  ])
  expect(err).toContain('hint: correct the user and password in HTTPS_PROXY')
  expect(err).not.toContain('secret')
})

it.each(['directly', 'through a proxy'])(
  'svc says how to trust a certificate of a private authority, %s',
  async (way) => {
    const proxy = await opening(proxyServer())
    const env = way === 'directly' ? { SVC_BASE_URL: service.url } : { ...named(service), HTTPS_PROXY: proxy.url }
    expect(await installed(['health'], env)).toEqual(health)
    const { code, err } = await installed(['health'], { ...env, NODE_EXTRA_CA_CERTS: '' })
    expect([code, err]).toEqual([3, expect.stringContaining('(DEPTH_ZERO_SELF_SIGNED_CERT)')])
    expect(err).toContain('hint: set NODE_EXTRA_CA_CERTS to a file with the authority')
  },
)

it.each(['directly', 'through a proxy'])(
  'svc says once that a service without TLS does not speak it, %s',
  async (way) => {
    const [plain, proxy] = [await opening(plainServer()), await opening(proxyServer())]
    const env =
      way === 'directly'
        ? { SVC_BASE_URL: `https://127.0.0.1:${plain.port}` }
        : { ...named(plain), HTTPS_PROXY: proxy.url }
    const { code, err } = await svc(['health'], env)
    expect([code, err]).toEqual([3, expect.stringMatching(/no common protocol.*\((EPROTO|ERR_SSL_\w+)\)/)])
    expect(err).toContain('hint: correct the scheme or the port of the base URL')
    expect(plain.connections).toBe(1)
  },
)

it.each(['svc.test', 'svc.localhost'])('svc sends nothing over plain http through a proxy: %s', async (host) => {
  const proxy = await opening(proxyServer())
  const { code, err } = await svc(['health'], { SVC_BASE_URL: `http://${host}`, HTTP_PROXY: proxy.url })
  expect([code, err]).toEqual([3, expect.stringContaining('over plain http')])
  expect(proxy.connections).toBe(0)
})

it.each<[string, Record<string, string>, string | undefined]>([
  ['neither is set', {}, ''],
  [
    'both are set',
    { NO_PROXY: 'a.example, b.example', no_proxy: 'b.example c.example' },
    ',a.example,b.example,c.example',
  ],
  ['one is *', { NO_PROXY: '*', no_proxy: 'a.example' }, undefined],
])('svc mock adds this machine to NO_PROXY and no_proxy of its command, or leaves *: %s', async (_, env, kept) => {
  let given: Record<string, string | undefined> = {}
  const starting: Io['spawn'] = (program, args, variables) => {
    given = variables
    return spawn(program, args, { env: variables })
  }
  const { code } = await svc(['mock', '--', process.execPath, '--version'], env, { spawn: starting })
  const hosts = kept === undefined ? '*' : `localhost,127.0.0.1,::1${kept}`
  expect([code, given.NO_PROXY, given.no_proxy]).toEqual([0, hosts, hosts])
})

it.each(['127.0.0.1', 'localhost'])('svc goes past the proxy for loopback: %s', async (host) => {
  const [plain, proxy] = [await opening(plainServer()), await opening(proxyServer())]
  const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, SVC_BASE_URL: `http://${host}:${plain.port}` }
  expect(await svc(['health'], env)).toEqual(health)
  expect(proxy.connections).toBe(0)
})
