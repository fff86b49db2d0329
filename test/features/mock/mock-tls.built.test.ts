import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { bin } from '../../helpers/built.js'
import { cleanEnv, runProcess } from '../../helpers/own-service.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-mock-tls-'))
afterAll(() => rmSync(folder, { recursive: true }))
const hasCurl = spawnSync('curl', ['--version']).status === 0

/** A program with the client, as one process more. */
const program = join(folder, 'health.mjs')
const client = new URL('../../../packages/client/dist/index.js', import.meta.url).href
writeFileSync(
  program,
  `import { createClient } from ${JSON.stringify(client)}
   const svc = createClient({ retry: false })
   const result = await svc.health().catch((error) => error.cause?.cause?.code ?? error.cause?.code ?? error.code)
   console.log(process.env.SVC_BASE_URL.split(':')[0], JSON.stringify(result))`,
)

const mock = (...argv: string[]) => runProcess(['mock', '--tls', ...argv], cleanEnv, folder)

it('svc mock --tls serves a client in its command over https, which without the certificate refuses it', async () => {
  const { out, err, code } = await mock('--', process.execPath, program)
  expect([out, err, code]).toEqual(['https {"status":"ok","substrate":"lambda"}\n', '', 0])
  const distrusting = await mock('--', 'env', '-u', 'NODE_EXTRA_CA_CERTS', process.execPath, program)
  expect(distrusting.out).toContain('DEPTH_ZERO_SELF_SIGNED_CERT')
})

it('svc mock --tls serves svc itself and its control plane', async () => {
  const script =
    'svc projects list && echo $SVC_CONTROL_URL && ls "$SSL_CERT_FILE" "$REQUESTS_CA_BUNDLE" "$CURL_CA_BUNDLE"'
  const { out, code } = await mock('--control', '--', 'sh', '-c', script)
  expect([out, code]).toEqual([expect.stringMatching(/Mock project[\s\S]*\nhttps:\/\/127\.0\.0\.1:\d+\/_svc\n/), 0])
})

it.skipIf(!hasCurl)('curl in the command of svc mock --tls trusts the certificate, also with --cacert', async () => {
  const script =
    'curl -sS "$SVC_BASE_URL/health"; env -u CURL_CA_BUNDLE -u SSL_CERT_FILE curl -sS --cacert "$NODE_EXTRA_CA_CERTS" "$SVC_BASE_URL/health"'
  const { out } = await mock('--', 'sh', '-c', script)
  expect(out).toBe('{"status":"ok","substrate":"lambda"}'.repeat(2))
})

it('svc mock --tls without a command prints where the certificate is, and removes it at the end', async () => {
  const ready = join(folder, 'ready.json')
  const argv = [bin, 'mock', '--tls', '--json', '--ready-file', ready]
  const child = spawn(process.execPath, argv, { env: cleanEnv, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = text(child.stderr)
  const served = JSON.parse(
    await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(`${data}`))),
  )
  const ca = served.NODE_EXTRA_CA_CERTS
  await expect.poll(() => existsSync(ready)).toBe(true)
  const inReadyFile = JSON.parse(readFileSync(ready, 'utf8'))
  const certificate = readFileSync(ca, 'utf8')
  const bundles = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'].map((name) =>
    readFileSync(served[name], 'utf8'),
  )
  child.kill('SIGTERM')
  await new Promise((resolve) => child.on('close', resolve))
  expect(served.SVC_BASE_URL).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  expect(inReadyFile).toEqual(served)
  expect(certificate).toContain('BEGIN CERTIFICATE')
  for (const bundle of bundles) expect(bundle).toContain(certificate)
  expect(await said).toContain(`Ctrl-C stops and removes the certificate, ${ca}`)
  expect([existsSync(ca), existsSync(ready)]).toEqual([false, false])
})
