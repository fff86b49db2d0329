import { spawnSync } from 'node:child_process'
import { createClient } from '@svc/client'
import { createServer, type JournalEntry, referenceKey } from '@svc/reference-server/core'
import { describe, expect, it } from 'vitest'
import { callOf, curlOf, masked } from '../../../packages/reference-server/src/control/index.js'

const project = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
const turns = [{ role: 'user' as const, content: `It's $HOME \`id\` "7" \\ <b>é</b>\n'); process.exit() //` }]
const clientOf = (server: ReturnType<typeof createServer>) => {
  const { fetch, baseUrl, publicBaseUrl } = server
  return createClient({ apiKey: referenceKey, environment: {}, fetch, baseUrl, publicBaseUrl, stamp: false })
}
const serverOf = () => createServer({ seed: { projects: [{ id: project, name: 'P' }] } })

/** Sends a request of every operation. */
async function sendAll(server: ReturnType<typeof createServer>) {
  const svc = clientOf(server)
  await svc.health()
  await svc.annotators.list()
  await svc.annotations.create({ annotator: 'structural', transcript: turns, options: { depth: 1 } })
  await svc.batches.create({}).catch(() => {})
  await svc.batches.get('b 1/ü').catch(() => {})
  await svc.projects.create({ name: 'Support', domain: 'ai_coding' })
  await svc.projects.list({ page: 1, limit: 5 })
  await svc.projects.get(project)
  const { id } = await svc.transcripts.upload(project, { name: 't', turns, metadata: { a: [1, null] } })
  await svc.transcripts.list(project, { q: `order's "7"`, limit: 2, date_to: '2030-01-01' })
  await svc.transcripts.get(id)
  await svc.legacy.createSession({ name: 'S' })
  await svc.legacy.createTranscript({ projectId: project, name: 't', turns })
  await svc.request('annotation', 'GET', '/openapi.json')
}

/** A request without its time, its answer and what a program adds by itself. */
const told = ({ method, surface, path, query, operation, status, body }: JournalEntry) => {
  return { method, surface, path, query, operation, status, body }
}

describe('a request on the page', () => {
  it('is shown as a call of the SDK that sends the same request', async () => {
    const [server, again] = [serverOf(), serverOf()]
    await sendAll(server)
    const svc = clientOf(again)
    for (const entry of server.requests)
      await new Function('svc', `return (async () => { ${callOf(entry)} })()`)(svc).catch(() => {})
    expect(again.requests.map(told)).toEqual(server.requests.map(told))
    expect(new Set(server.requests.map(({ operation }) => operation)).size).toBe(14)
  })

  it('is shown as a call of request() where no operation has its path', async () => {
    const server = serverOf()
    await clientOf(server)
      .request('workspace', 'POST', '/project', { query: { b: '2' } })
      .catch(() => {})
    const [entry] = server.requests
    const code = entry ? callOf(entry) : ''
    expect(code).toContain('svc.request("workspace", "POST", "/project", {')
    await new Function('svc', `return (async () => { ${code} })()`)(clientOf(server)).catch(() => {})
    expect(server.requests.map(told)[1]).toEqual(server.requests.map(told)[0])
  })

  const hasCurl = spawnSync('curl', ['--version']).status === 0
  it.skipIf(!hasCurl)('is shown as a command of curl that sends the same request, also a large one', async () => {
    const [server, again] = [serverOf(), serverOf()]
    await sendAll(server)
    const headers = { authorization: `Bearer ${referenceKey}`, 'content-type': 'application/json' }
    const path = `${server.publicBaseUrl}/projects/${project}/transcripts`
    const body = JSON.stringify({ name: 'large', turns: [{ role: 'user', content: `BODY\n'${'ü$"'.repeat(70_000)}` }] })
    await server.fetch(path, { method: 'POST', headers, body })
    await server.fetch(path, { method: 'POST', headers, body: `{ "name": 'BODY` })
    await server.fetch(`${server.publicBaseUrl}/projects?limit=$(id)&q='`, { method: 'HEAD', headers })
    const { baseUrl, publicBaseUrl, close } = await again.listen()
    const env = { ...process.env, SVC_BASE_URL: baseUrl, SVC_PUBLIC_BASE_URL: publicBaseUrl, SVC_API_KEY: referenceKey }
    const { spawn } = await import('node:child_process')
    for (const entry of server.requests) {
      const shell = spawn('sh', ['-s'], { env, stdio: ['pipe', 'ignore', 'ignore'] })
      shell.stdin.end(curlOf(entry))
      await new Promise((resolve) => shell.once('close', resolve))
    }
    await close()
    expect(again.requests.map(told)).toEqual(server.requests.map(told))
  })

  it('says of a body that is no longer kept how large it was', async () => {
    const server = createServer({ journalBytes: 3_000, seed: { projects: [{ id: project, name: 'P' }] } })
    await clientOf(server).transcripts.upload(project, {
      name: 't',
      turns: [{ role: 'user', content: 'x'.repeat(5_000) }],
    })
    const [entry] = server.requests
    expect(entry && curlOf(entry)).toMatch(/# its body of 50\d\d bytes is not kept$/)
  })

  it('shows no whole key, wherever it stands', () => {
    expect(masked('a sk-service-api03-abcdefghijklmnop b SK-LEGACY-API03-short')).toBe(
      'a sk-service-api03-…mnop b SK-LEGACY-API03-…',
    )
  })
})
