import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createClient } from '@svc/client'
import { createReferenceServer, type FaultRule, referenceKey } from '@svc/reference-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../examples/express.js'
import { createHandler } from '../examples/serverless.js'
import worker from '../examples/worker.js'
import { bin } from './built.js'

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
  const root = fileURLToPath(new URL('..', import.meta.url))
  const check = (...files: string[]) => {
    const tsx = ['--import', import.meta.resolve('tsx')]
    const command = [process.execPath, ...tsx, 'examples/ci-script.ts', ...files]
    const argv = [bin, 'mock', '--', ...command]
    return spawnSync(process.execPath, argv, { cwd: root, encoding: 'utf8' })
  }

  it('judges every conversation of the files', () => {
    const { status, stdout } = check('examples/transcripts/delivery.json', 'examples/transcripts/questions.jsonl')
    expect(stdout).toMatch(/\n\d+ conversations, 0 critical, 0 not judged\n$/)
    expect(status).toBe(0)
  })

  it('does not pass when there is nothing to judge', () => {
    expect(check().status).toBe(2)
  })

  it.each([
    [0, {}],
    [1, { outcome: 'critical' }],
    [2, { outcome: 'superb' }],
    [2, { annotator: 'patterns' }],
  ])('ends with %i if the answer has %j', async (expected, answer) => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ annotator: 'structural', outcome: 'poor', signals: {}, ...answer }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const argv = ['--import', import.meta.resolve('tsx'), 'examples/ci-script.ts', 'examples/transcripts/delivery.json']
    const env = { ...process.env, SVC_API_KEY: referenceKey, SVC_BASE_URL: `http://127.0.0.1:${port}` }
    const [code] = await once(spawn(process.execPath, argv, { cwd: root, env, stdio: 'ignore' }), 'exit')
    server.close()
    expect(code).toBe(expected)
  })
})
