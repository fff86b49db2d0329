import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createGateway } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createClient } from '@svc/client'
import { createReferenceServer, type FaultRule, referenceKey } from '@svc/reference-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../examples/express.js'
import { createApp as createFastifyApp } from '../../examples/fastify.js'
import { createHandler } from '../../examples/serverless.js'
import worker from '../../examples/worker.js'
import { bin } from '../helpers/built.js'
import { casesOf } from '../helpers/long.js'

const turns = [{ role: 'user', content: 'Where is order 7?' }]
const conversation = { name: 'Order 7', turns }

/** A reference server on a socket, a client of it, and a project. */
async function service(faults: readonly FaultRule[] = []) {
  const server = createReferenceServer({ faults })
  const { baseUrl, publicBaseUrl, close } = await server.listen({ port: 0 })
  onTestFinished(() => close())
  const svc = createClient({ apiKey: referenceKey, baseUrl, publicBaseUrl, environment: {} })
  const { id } = server.world.createProject({ name: 'Support' }).record
  return { server, svc, id, baseUrl, close }
}

describe('examples/express.ts', () => {
  async function post(body: unknown, faults: readonly FaultRule[] = []) {
    const { svc, id, server } = await service(faults)
    const listening = createApp(svc.with({ retry: false }), id).listen(0, '127.0.0.1')
    onTestFinished(() => void listening.close())
    await new Promise((done) => listening.once('listening', done))
    const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/conversations`
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, headers: response.headers, body: await response.json(), server }
  }

  it('stores a conversation and gives its id', async () => {
    expect(await post(conversation)).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^tr_/) } })
  })

  it('says what is wrong with a conversation, and stores nothing', async () => {
    const { status, body, server } = await post({ name: '', turns })
    expect([status, body]).toEqual([400, { violations: [expect.objectContaining({ pointer: '/name' })] }])
    expect(server.requests).toEqual([])
  })

  it('passes on how long to wait, and that an upload may be stored', async () => {
    const limited = await post(conversation, [{ kind: 'status', code: 429, retryAfter: 7 }])
    expect([limited.status, limited.headers.get('retry-after'), limited.body]).toEqual([503, '7', { stored: 'no' }])
    const lost = await post(conversation, [{ kind: 'lost', on: 'transcripts.upload' }])
    expect([lost.status, lost.body]).toEqual([502, { stored: 'unknown', ids: [] }])
  })
})

describe('examples/fastify.ts', () => {
  async function start(faults: readonly FaultRule[] = []) {
    const { svc, id, server } = await service(faults)
    const ledger = mkdtempSync(join(tmpdir(), 'svc-fastify-'))
    onTestFinished(() => rmSync(ledger, { recursive: true }))
    const app = createFastifyApp(svc, id, join(ledger, 'uploads'))
    onTestFinished(() => app.close())
    const post = (name: string, payload: object) =>
      app.inject({ method: 'POST', url: `/conversations/${name}`, payload })
    const stored = () => server.world.transcripts(id).map(({ record }) => record.name)
    return { app, post, stored, ledger, svc, id }
  }

  it('accepts a conversation before it is stored, and stores it once', async () => {
    const { app, post, stored } = await start([{ kind: 'status', code: 503, times: 2 }])
    const answers = [await post('call-7', conversation), await post('call-7', conversation)]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202])
    await expect
      .poll(async () => (await app.inject('/uploads')).json())
      .toMatchObject({ stored: 2, waiting: 0, open: 0 })
    expect(stored()).toEqual(['Order 7'])
  })

  it('says what is wrong with a conversation, and keeps after a restart what it has accepted', async () => {
    const { app, post, stored, ledger, svc, id } = await start()
    const invalid = await post('call-8', { name: '', turns })
    expect([invalid.statusCode, invalid.json()]).toEqual([
      400,
      { violations: [expect.objectContaining({ pointer: '/name' })] },
    ])
    await post('call-7', conversation)
    await app.close()
    const later = createFastifyApp(svc, id, join(ledger, 'uploads'))
    onTestFinished(() => later.close())
    await expect.poll(stored).toEqual(['Order 7'])
    const full = createFastifyApp(svc, id, join(ledger, 'full'), { maxWaitingBytes: 1 })
    onTestFinished(() => full.close())
    const refused = await full.inject({ method: 'POST', url: '/conversations/call-8', payload: conversation })
    expect([refused.statusCode, refused.json()]).toEqual([503, { accepted: null }])
  })
})

describe('examples/worker.ts', () => {
  const ask = async (body: unknown, key = referenceKey) => {
    const { baseUrl } = await service()
    const request = new Request('http://worker.test/', { method: 'POST', body: JSON.stringify(body) })
    return worker.fetch(request, { SVC_API_KEY: key, SVC_BASE_URL: baseUrl })
  }

  it('answers with outcome and signals', async () => {
    const response = await ask([...turns, { role: 'assistant', content: 'On its way.' }])
    expect([response.status, await response.json()]).toEqual([200, { outcome: 'strong', signals: {} }])
  })

  it('answers with what is wrong', async () => {
    expect((await ask([{ role: 'user' }])).status).toBe(400)
    const refused = await ask(turns, 'sk-unknown')
    expect([refused.status, await refused.json()]).toEqual([502, { kind: 'authentication' }])
  })
})

describe('examples/serverless.ts', () => {
  it('stores a batch, and returns to the queue only what may be tried again', async () => {
    const { svc, id, server, close } = await service()
    const record = (messageId: string, name: string) => ({ messageId, body: JSON.stringify({ name, turns }) })
    const logged: unknown[] = []
    const { error } = console
    onTestFinished(() => {
      console.error = error
    })
    console.error = (...args) => logged.push(args[0])
    const context = { getRemainingTimeInMillis: () => 30_000 }
    const good = await createHandler(svc, id)({ Records: [record('a', 'one'), record('b', '')] }, context)
    expect([good, logged]).toEqual([{ batchItemFailures: [] }, ['b']])
    await close()
    const away = await createHandler(svc.with({ retry: false }), id)({ Records: [record('c', 'two')] }, context)
    expect(away).toEqual({ batchItemFailures: [{ itemIdentifier: 'c' }] })
    expect(server.requests.filter(({ status }) => status === 201)).toHaveLength(1)
  })
})

describe('examples/ci-script.ts', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const script = ['--import', import.meta.resolve('tsx'), join(root, 'examples/ci-script.ts')]
  const check = (...files: string[]) => {
    const argv = [bin, 'mock', '--', process.execPath, ...script, ...files]
    return spawnSync(process.execPath, argv, { cwd: root, encoding: 'utf8' })
  }

  it('judges every conversation of the files', () => {
    const { status, stdout, stderr } = check(
      'examples/transcripts/delivery.json',
      'examples/transcripts/questions.jsonl',
    )
    expect(stdout).toMatch(
      /^judged: 3 transcripts from 2 files by .*\npassed: no transcript breaks a rule \(3 judged\)\n$/,
    )
    expect([status, stderr]).toEqual([0, ''])
  })

  it('prints the place of a finding, and ends with 100', () => {
    const { status, stdout } = check('examples/transcript.json')
    expect(stdout).toMatch(/examples\/transcript\.json:21:5 .*^failed: 1 of 1 transcript is critical$/ms)
    expect(status).toBe(100)
  })

  const unusable = [
    ['files that are missing or hold no transcript', ['examples/transcripts/delivery.json', 'gone.json', 'README.md']],
    ['no file', []],
  ] as const
  it.each(casesOf(unusable))('does not pass with %s', (_, files) => {
    const { status, stdout } = check(...files)
    expect([status, stdout]).toEqual([101, expect.stringMatching(/^could not judge: /m)])
  })

  const unfit = [
    ['an outcome that nobody knows', { outcome: 'splendid' }],
    ['an answer of another annotator', { annotator: 'patterns' }],
  ] as const
  it.each(casesOf(unfit))('does not pass with %s', async (_, change) => {
    const { server, baseUrl } = await service()
    const gateway = createGateway(async (request, response) => {
      const [{ pathname }, body] = [new URL(request.url ?? '', baseUrl), await text(request)]
      const headers = { authorization: `Bearer ${referenceKey}`, 'content-type': 'application/json' }
      const init = { method: request.method ?? 'GET', headers, ...(body && { body }) }
      const answer = await (await fetch(new URL(pathname, baseUrl), init)).json()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(pathname.endsWith('/annotations') ? { ...answer, ...change } : answer))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void gateway.close())
    await once(gateway, 'listening')
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
    const env = { ...process.env, SVC_API_KEY: referenceKey, SVC_BASE_URL: url }
    const child = spawn(process.execPath, [...script, 'examples/transcripts/delivery.json'], { cwd: root, env })
    const [stdout, [status]] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect(stdout).toMatch(/^could not judge: 1 of 1 not judged$/m)
    expect(status).toBe(101)
    expect(server.requests.map(({ operation }) => operation)).toContain('annotations.create')
  })
})
