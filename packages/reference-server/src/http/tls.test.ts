import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type ConnectionOptions, connect as connectTls, rootCertificates } from 'node:tls'
import { generate } from 'selfsigned'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { closeKept, keep, request } from '../../test/fixtures/edge.js'
import { createServer, type FaultRule, type ServerOptions } from '../core.js'

afterEach(closeKept)

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

const secure = async (options: ServerOptions = {}) => keep(await createServer(options).listen({ tls: true }))

/** Opens a connection over TLS, and gives what comes on it and how it ends. */
function dialTls(port: number, ca: string | undefined, bytes = '', options: ConnectionOptions = {}) {
  const socket = connectTls({ port, host: '127.0.0.1', ca, ...options }, () => socket.write(bytes))
  let received = ''
  let by = 'end'
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    by = error.code ?? error.message
  })
  const ended = new Promise<{ text: string; by: string }>((resolve) =>
    socket.on('close', () => resolve({ text: received, by })),
  )
  return { socket, ended }
}

const ask = (url: string, ca?: string) =>
  new Promise<string>((resolve, reject) => {
    get(url, { ca, agent: false }, (response) => resolve(text(response))).on('error', reject)
  })

test('a client that trusts the certificate reaches 127.0.0.1, ::1 and localhost, and no other client does', async () => {
  const { baseUrl, publicBaseUrl, port, ca } = await secure()
  expect([baseUrl, publicBaseUrl]).toEqual([`https://127.0.0.1:${port}`, `https://127.0.0.1:${port}/public/api/v1`])
  for (const host of ['127.0.0.1', 'localhost', ...(hasIpv6 ? ['[::1]'] : [])])
    expect(await ask(`https://${host}:${port}/health`, ca)).toBe('{"status":"ok","substrate":"lambda"}')
  await expect(ask(`${baseUrl}/health`)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  await expect(ask(`${baseUrl}/health`, (await secure()).ca)).rejects.toThrow('self-signed certificate')
})

test('the certificate is valid for the allowed hosts and the host of listen(), too', async () => {
  const server = createServer({ allowedHosts: ['mock.internal', '[fe80::1]'] })
  const { port, ca } = keep(await server.listen({ tls: true, host: '127.0.0.2' }))
  const { socket } = dialTls(port, ca, '', { host: '127.0.0.2', servername: 'mock.internal' })
  const names = await new Promise((resolve) =>
    socket.once('secureConnect', () => resolve(socket.getPeerCertificate().subjectaltname)),
  )
  socket.destroy()
  expect(names).toBe(
    'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:127.0.0.2, DNS:mock.internal, IP Address:FE80:0:0:0:0:0:0:1',
  )
})

test('the description names https, and the guards of Host and Origin hold', async () => {
  const { port, ca, baseUrl } = await secure({ control: { token: 't' } })
  expect(JSON.parse(await ask(`${baseUrl}/openapi.json`, ca)).servers).toEqual([{ url: baseUrl }])
  expect(JSON.parse(await ask(`${baseUrl}/_svc/openapi.json`, ca)).servers).toEqual([{ url: `${baseUrl}/_svc` }])
  const statusOf = async (path: string, host: string, origin: string) => {
    const headers = `host: ${host}\r\norigin: ${origin}\r\nauthorization: Bearer t\r\nconnection: close\r\n`
    const { ended } = dialTls(port, ca, `GET ${path} HTTP/1.1\r\n${headers}\r\n`)
    return (await ended).text.slice(9, 12)
  }
  const host = new URL(baseUrl).host
  expect(await statusOf('/health', 'evil.example', baseUrl)).toBe('403')
  expect(await statusOf('/health', host, 'https://evil.example')).toBe('403')
  expect(await statusOf('/_svc/world', host, baseUrl)).toBe('200')
  expect(await statusOf('/_svc/world', host, baseUrl.replace('https', 'http'))).toBe('403')
})

test.each<[FaultRule, RegExp, string]>([
  [{ kind: 'lost', on: 'health' }, /^$/, 'end'],
  [
    { kind: 'truncate', on: 'health', bytes: 3 },
    /^HTTP\/1.1 200 [\s\S]*content-length: 36\r\n[\s\S]*\r\n\r\n\{"s$/,
    'end',
  ],
])('a fault reaches the client over TLS: %j', async (fault, expected, by) => {
  const { port, ca } = await secure({ faults: [fault] })
  const { ended } = dialTls(port, ca, request('GET /health'))
  expect(await ended).toEqual({ text: expect.stringMatching(expected), by })
})

test('a reset resets the connection below TLS', async () => {
  const { port, ca } = await secure({ faults: [{ kind: 'reset-before', on: 'health', skip: 1 }] })
  const { socket, ended } = dialTls(port, ca, request('GET /health'))
  // On a new connection Node reads what ends the handshake together with the reset, and reports an end.
  socket.once('data', () => socket.write(request('GET /health')))
  expect((await ended).by).toBe('ECONNRESET')
})

test('malformed HTTP over TLS is answered in the envelope, and HTTP without TLS is cut off', async () => {
  const { port, ca } = await secure()
  expect((await dialTls(port, ca, 'nonsense\r\n\r\n').ended).text).toMatch(
    /^HTTP\/1.1 400 [\s\S]*"error":"bad_request"/,
  )
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed')
  expect(await ask(`https://127.0.0.1:${port}/health`, ca)).toContain('ok')
})

test('closes while clients are silent, in their handshake, wait for a held response, and keep their connection', async () => {
  const server = createServer({ faults: [{ kind: 'hang-after', on: 'health', times: 1 }] })
  const { port, ca, close } = await server.listen({ tls: true })
  const unspoken = connect(port, '127.0.0.1').on('error', () => {})
  const ended = new Promise((resolve) => unspoken.on('close', resolve))
  const held = dialTls(port, ca, request('GET /health'))
  const kept = dialTls(port, ca, request('GET /health'))
  await new Promise((resolve) => kept.socket.once('data', resolve))
  await close({ graceMs: 500 })
  await Promise.all([ended, held.ended, kept.ended])
})

test('serves with a certificate of the caller, and then has none to tell and to write', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
  const { port, ca, trust } = keep(await createServer().listen({ tls: { cert, key } }))
  expect([ca, trust('/nowhere')]).toEqual([undefined, {}])
  expect(await ask(`https://localhost:${port}/health`, cert)).toContain('ok')
})

test('refuses a certificate that is unreadable or of another key before it listens', async () => {
  const [one, two] = await Promise.all([1, 2].map(() => generate(undefined, { keyType: 'ec' })))
  const refusal = (cert = '', key = '') => createServer().listen({ tls: { cert, key }, port: 1 })
  await expect(refusal('none', one?.private)).rejects.toThrow(
    'Invalid options of listen(): /tls/cert: expected a certificate in PEM.',
  )
  await expect(refusal(one?.cert, 'none')).rejects.toThrow(
    '/tls/key: expected a private key in PEM without a passphrase.',
  )
  await expect(refusal(one?.cert, two?.private)).rejects.toThrow(
    '/tls/key: expected the private key of /tls/cert; this is another.',
  )
  await expect(createServer().listen({ tls: { cert: 'x' } as never })).rejects.toThrow('/tls/key: required')
})

test('the files of trust() hold what the environment trusts already, else the public authorities', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-trust-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { ca = '', trust } = await secure()
  const read = (name = '') => readFileSync(name, 'utf8')
  const fresh = trust(folder)
  expect(read(fresh.NODE_EXTRA_CA_CERTS)).toBe(`${ca.trimEnd()}\n`)
  for (const name of ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE']) {
    expect(read(fresh[name])).toContain(ca.trim())
    expect(read(fresh[name])).toContain(rootCertificates[0]?.trim())
  }
  const company = join(folder, 'company.pem')
  writeFileSync(company, 'COMPANY')
  const missing = join(folder, 'missing.pem')
  const env = {
    NODE_EXTRA_CA_CERTS: company,
    SSL_CERT_FILE: company,
    REQUESTS_CA_BUNDLE: missing,
    CURL_CA_BUNDLE: company,
  }
  const extended = trust(folder, env)
  const both = `COMPANY\n${ca.trimEnd()}\n`
  expect(Object.values(extended).map(read)).toEqual([both, both, both, both])
})

test('without tls there is no certificate, and nothing to trust', async () => {
  const { ca, trust } = keep(await createServer().listen())
  expect([ca, trust('/nowhere')]).toEqual([undefined, {}])
})
