import { referenceKey } from '@svc/reference-server'
import { describe, expect, it } from 'vitest'
import { type CliOptions, createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

const day = 86_400_000
const trusted = { distrust: undefined, validTo: Date.now() + 400 * day, protocol: 'TLSv1.3' }
const io = {
  lookup: async () => ['192.0.2.1'],
  reach: async () => {},
  tls: async () => trusted,
  mayWrite: async () => true,
  nodeVersion: '22.1.0',
}

type Checks = { name: string; state: string; message: string; hint?: string; exit?: number }[]

/** `svc doctor` in a world where all is well but for what is given. */
async function doctor(options: CliOptions = {}, shell = createShell()) {
  const result = await shell.svc(['doctor', '--json'], { ...options, io: { ...io, ...options.io } })
  const { schema, exit, checks } = result.json() as unknown as { schema: string; exit: number; checks: Checks }
  expect([schema, exit]).toEqual(['svc/doctor@1', result.code])
  return { ...result, checks, of: (name: string) => checks.filter((check) => check.name === name) }
}

const https = { SVC_BASE_URL: 'https://annotate.example', SVC_PUBLIC_BASE_URL: 'https://work.example/public/api/v1' }
const failing = (code: string) => async () => Promise.reject(Object.assign(new Error('x'), { code }))
/** A service that answers as little as it can. */
const small = (
  answer: (request: Request) => Response = () =>
    Response.json({ data: [], processing_time_ms: 1, status: 'ok', substrate: 'lambda' }),
) => {
  const session = createSession()
  return createShell({ ...session, fetch: async (request) => answer(request) })
}

describe('svc doctor', () => {
  it('finds nothing wrong where nothing is', async () => {
    const { code, checks, of } = await doctor({ env: { SVC_CACHE_DIR: 'cache', SVC_CONFIG: 'config.json' } })
    expect(code).toBe(0)
    expect(checks.filter(({ state }) => state !== 'ok')).toEqual([])
    expect(of('health')[0]?.message).toMatch(/^status ok, substrate (fargate|lambda), \d+ ms$/)
    expect(of('annotation key')[0]?.message).toBe('not refused')
    expect(of('workspace key')[0]?.message).toContain('may read')
    expect(of('baseUrl')[0]?.message).toMatch(/ from SVC_BASE_URL$/)
  })

  it('writes one line for each thing that it looked at', async () => {
    const { svc } = createShell()
    const { out } = await svc(['doctor'], { io })
    expect(
      out
        .split('\n')
        .slice(0, -1)
        .every((line) => line.split('\t').length === 4),
    ).toBe(true)
    expect(out).toMatch(/^ok\tnode\t22\.1\.0\t\n/)
    const onTerminal = await svc(['doctor', '--offline'], { io, tty: true, env: { SVC_API_KEY: '', NO_COLOR: '1' } })
    expect(onTerminal.out).toMatch(/problem {2}annotationApiKey +not set\n {9}hint: svc auth login\n/)
  })

  it('shows no secret, wherever one may stand', async () => {
    const secret = 'hunter2hunter2'
    const env = {
      ...https,
      HTTPS_PROXY: `http://user:${secret}@proxy.example:3128`,
      SVC_BASE_URL: `https://user:${secret}@annotate.example/?token=${secret}`,
      SVC_WORKSPACE_API_KEY: `sk-service-api03-${secret}x9z8`,
    }
    for (const argv of [['doctor'], ['doctor', '--json'], ['doctor', '--debug']]) {
      const { out, err } = await createShell().svc(argv, { env, io })
      expect(out).toContain('sk-service-api03-…x9z8')
      expect(out + err).not.toContain(secret)
      expect(out + err).not.toContain(referenceKey)
    }
  })

  it.each<[string, CliOptions, string, string, RegExp, number]>([
    ['an old Node', { io: { nodeVersion: '20.18.3' } }, 'node', 'problem', /older than 20\.19/, 3],
    ['no base URL', { env: { SVC_BASE_URL: '' } }, 'baseUrl', 'problem', /^not set$/, 3],
    ['no key', { env: { SVC_API_KEY: '' } }, 'workspaceApiKey', 'problem', /^not set$/, 4],
    [
      'one key of two',
      { env: { SVC_API_KEY: '', SVC_WORKSPACE_API_KEY: referenceKey } },
      'annotationApiKey',
      'warning',
      /^not set$/,
      0,
    ],
    ['a wrong key', { env: { SVC_API_KEY: 'sk-service-api03-wrong' } }, 'annotation key', 'problem', /^refused/, 4],
    [
      'a name without address',
      { env: https, io: { lookup: failing('ENOTFOUND') } },
      'dns',
      'problem',
      /^annotate\.example has no address \(ENOTFOUND\)$/,
      75,
    ],
    [
      'a certificate that is not trusted',
      { env: https, io: { tls: async () => ({ ...trusted, distrust: 'SELF_SIGNED_CERT_IN_CHAIN' }) } },
      'tls',
      'problem',
      /not trusted \(SELF_SIGNED_CERT_IN_CHAIN\)/,
      3,
    ],
    [
      'a certificate that ends soon',
      { env: https, io: { tls: async () => ({ ...trusted, validTo: 1 }) } },
      'tls',
      'warning',
      /valid until 1970-01-01/,
      0,
    ],
    [
      'no handshake',
      { env: https, io: { tls: failing('ECONNRESET') } },
      'tls',
      'problem',
      /^annotate\.example:443 does not complete a TLS handshake/,
      75,
    ],
    [
      'a proxy that cannot be reached',
      { env: { ...https, HTTPS_PROXY: 'http://proxy.example:3128' }, io: { reach: failing('ECONNREFUSED') } },
      'proxy',
      'problem',
      /^the proxy http:\/\/proxy\.example:3128 for annotate\.example cannot be reached \(ECONNREFUSED\)$/,
      75,
    ],
    [
      'a proxy that is no address',
      { env: { ...https, HTTPS_PROXY: 'http://[' } },
      'proxy',
      'problem',
      /^expected the URL of a proxy in HTTPS_PROXY/,
      3,
    ],
    [
      'a folder that cannot be written to',
      { io: { mayWrite: async () => false } },
      'state folder',
      'warning',
      /cannot be written to$/,
      0,
    ],
    [
      'a cache that cannot be written to',
      { env: { SVC_CACHE_DIR: 'cache' }, io: { mayWrite: async (path: string) => path !== 'cache' } },
      'cache folder',
      'warning',
      /^cache cannot be written to$/,
      0,
    ],
    [
      'extra certificates that are not there',
      { env: { NODE_EXTRA_CA_CERTS: 'no.pem' } },
      'extra certificates',
      'warning',
      /no\.pem cannot be read/,
      0,
    ],
    [
      'extra certificates',
      { files: { 'ca.pem': '-----BEGIN CERTIFICATE-----\nx' }, env: { NODE_EXTRA_CA_CERTS: 'ca.pem' } },
      'extra certificates',
      'ok',
      /^1 in ca\.pem/,
      0,
    ],
    [
      'a file of settings that is broken',
      { files: { 'c.json': '{' }, env: { SVC_CONFIG: 'c.json' } },
      'settings',
      'problem',
      /c\.json/,
      3,
    ],
  ])('tells of %s', async (_, options, name, state, message, code) => {
    const network = options.env?.SVC_BASE_URL === https.SVC_BASE_URL ? small() : undefined
    const result = await doctor(options, network)
    const [check] = result.of(name)
    expect(check).toMatchObject({ state, message: expect.stringMatching(message) })
    if (state !== 'ok') expect(check?.hint).toEqual(expect.any(String))
    expect(result.code).toBe(code)
  })

  it('does not report a proxy for a service on this machine', async () => {
    const env = { HTTP_PROXY: 'http://proxy.example:3128', SVC_BASE_URL: 'http://localhost:4010' }
    const { of } = await doctor({ env }, small())
    expect(of('proxy')).toEqual([])
  })

  it('reports that the proxy resolves a host, unless NO_PROXY names it', async () => {
    const env = { ...https, HTTPS_PROXY: 'http://user:pass@proxy.example:3128', NO_PROXY: 'localhost, .work.example' }
    const { of } = await doctor({ env }, small())
    expect(of('proxy').map(({ message }) => message)).toEqual([
      'annotate.example through http://proxy.example:3128; it resolves names and opens TLS',
    ])
    expect(of('tls').map(({ message }) => message.split(':')[0])).toEqual(['work.example'])
  })

  it.each([
    [4_000, 'ok'],
    [30_000, 'warning'],
    [-3_600_000, 'problem'],
  ])('compares the clock with the service’s: %d ms', async (ahead, state) => {
    const session = createSession()
    const date = new Date(session.clock.now() - ahead).toUTCString()
    const answer = { data: [], processing_time_ms: 1, status: 'ok', substrate: 'lambda' }
    const shell = createShell({ ...session, fetch: async () => Response.json(answer, { headers: { date } }) })
    expect((await doctor({}, shell)).of('clock')).toMatchObject([{ state }])
  })

  it('reports a service that does not respond', async () => {
    const session = createSession()
    const { code, of } = await doctor({}, createShell({ ...session, fetch: failing('ECONNREFUSED') }))
    expect(code).toBe(75)
    expect(of('health')).toMatchObject([{ state: 'problem', message: expect.stringContaining('ECONNREFUSED') }])
    expect(of('workspace key')).toMatchObject([{ state: 'problem' }])
  })

  it('distinguishes a key without read permission from a wrong key', async () => {
    const shell = small(({ url }) => {
      if (url.endsWith('/health')) return Response.json({ status: 'ok', substrate: 'lambda' })
      return Response.json({ error: { message: 'x', type: 'authorization_error', code: 403 } }, { status: 403 })
    })
    const { of } = await doctor({}, shell)
    expect(of('workspace key')).toMatchObject([
      { state: 'warning', message: 'accepted; may not read (no projects-read)' },
    ])
    expect(of('annotation key')).toMatchObject([{ state: 'problem', exit: 4 }])
  })

  it('sends nothing with --offline, and nothing but reads without', async () => {
    const { svc, server } = createShell()
    await svc(['doctor', '--offline'], { io })
    expect(server.requests).toEqual([])
    await svc(['doctor'], { io })
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET'])
  })
})
