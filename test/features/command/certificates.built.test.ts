import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listening, proxyServer, secureServer } from '../client/servers.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-certificates-'))
let server: Listening & { certificate: string }
let proxy: Awaited<ReturnType<typeof proxyServer>>

beforeAll(async () => {
  server = await secureServer()
  proxy = await proxyServer()
  writeFileSync(join(folder, 'ca.pem'), server.certificate)
})
afterAll(async () => {
  await proxy.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

const program = `
import { createClient } from '@svc/client'
import { nodeTransport } from '@svc/client/node'
const transport = nodeTransport()
const svc = createClient({ baseUrl: process.argv[1], apiKey: 'k', transport })
const reported = await svc.health().then(
  ({ status }) => ({ status }),
  ({ name, phase, attempts }) => ({ name, phase, causes: attempts.map(({ cause }) => cause) }),
)
console.log(JSON.stringify(reported))`

/** The input of a separate process: Node reads NODE_EXTRA_CA_CERTS when it starts. */
async function reported(environment: Record<string, string>, host = '127.0.0.1'): Promise<unknown> {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env
  const url = `https://${host}:${server.port}`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, url], {
    cwd: root,
    env: { ...rest, HTTPS_PROXY: '', https_proxy: '', NO_PROXY: '', no_proxy: '', ...environment },
  })
  return JSON.parse(stdout)
}

describe('a certificate', () => {
  const trusting = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }

  it('a certificate is refused once if no authority signed it', async () => {
    const before = server.requests.length
    expect(await reported({})).toEqual({
      name: 'ConnectionError',
      phase: 'connecting',
      causes: [expect.stringMatching(/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/)],
    })
    expect(server.requests.length).toBe(before)
  })

  it('a certificate of NODE_EXTRA_CA_CERTS is accepted', async () => {
    expect(await reported(trusting)).toEqual({ status: 'ok' })
  })

  it('a certificate of NODE_EXTRA_CA_CERTS is accepted through the tunnel of a proxy', async () => {
    // Loopback itself goes past the proxy.
    expect(await reported({ ...trusting, HTTPS_PROXY: proxy.url })).toEqual({ status: 'ok' })
    expect(proxy.tunnels).toEqual([])
    expect(await reported({ ...trusting, HTTPS_PROXY: proxy.url }, 'svc.test')).toEqual({ status: 'ok' })
    expect(proxy.tunnels).toEqual([`svc.test:${server.port}`])
  })

  it('a certificate is never asked for where the proxy refuses the tunnel, and the key stays here', async () => {
    const closed = await proxyServer('password')
    const before = server.connections
    expect(await reported({ ...trusting, HTTPS_PROXY: closed.url }, 'svc.test')).toEqual({
      name: 'ConnectionError',
      phase: 'connecting',
      causes: Array(3).fill('ERR_PROXY_REFUSED'),
    })
    await closed.close()
    expect([closed.tunnels.length, server.connections]).toEqual([3, before])
  })
})
