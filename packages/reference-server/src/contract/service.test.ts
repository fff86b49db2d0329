import { expect, test } from 'vitest'
import { type Ask, type ContractFetch, connectTo, type Permit, unknownProject } from './service.js'

const ownProject = 'hp-11111111-1111-4111-8111-111111111111'
const other = 'hp-22222222-2222-4222-8222-222222222222'
const keys = { annotation: 'sk-annotation', workspace: 'sk-workspace' }
const all: Permit = { createProjects: true, annotations: true, sizes: true }

/** A service that gives these answers in turn, the last one for ever; what was sent, and how long was waited. */
function answering(answers: (() => Response)[] = [() => Response.json({})], permit: Partial<Permit> = {}) {
  const sent: string[] = []
  const waits: number[] = []
  const left = [...answers]
  const fetch: ContractFetch = async (url, { method }) => {
    sent.push(`${method} ${url}`)
    return ((left.length > 1 ? left.shift() : left[0]) ?? Response.error)()
  }
  const clock = {
    now: () => Date.UTC(2026, 0, 1),
    after(ms: number, callback: () => void) {
      waits.push(ms)
      callback()
      return () => {}
    },
  }
  const service = connectTo({
    fetch,
    bases: { annotation: 'https://a.test/', workspace: 'https://b.test/v1' },
    keys,
    permit: { ...all, ...permit },
    clock,
    signal: new AbortController().signal,
    maxWaitMs: 90_000,
  })
  service.allowUploads(ownProject)
  return { service, sent, waits }
}

const post = (path: string, body: unknown = {}): Ask => ({ surface: 'workspace', path, body })
const annotate: Ask = { surface: 'annotation', path: '/v1/annotations', body: {} }

test.each<[string, Ask, Partial<Permit>, string]>([
  ['a new project', post('/projects'), { createProjects: false }, '--create-projects'],
  ['a legacy session', post('/halfpipe/sessions?x=1'), { createProjects: false }, '--create-projects'],
  ['an annotation', annotate, { annotations: false }, 'billed'],
  ['an upload into another project', post(`/projects/${other}/transcripts`), {}, 'did not create'],
  ['a legacy upload into another project', post('/halfpipe/transcripts', { sessionId: other }), {}, 'did not create'],
  ['a path that leads to another project', post(`/projects/../projects/${other}/transcripts`), {}, 'cannot hold'],
  ['a path with the end of a line', { surface: 'workspace', path: '/projects/x\nFORGED' }, {}, 'cannot hold'],
  ['an upload with analysis', post(`/projects/${ownProject}/transcripts`), { annotations: false }, 'billed'],
  ['a large body', post(`/projects/${ownProject}/transcripts`, 'x'.repeat(300_000)), { sizes: false }, '--sizes'],
  ['the other surface', annotate, { only: 'workspace' }, 'only the workspace surface'],
])('%s is not sent without permission', async (_, request, permit, reason) => {
  const { service, sent } = answering(undefined, permit)
  await expect(service.ask(request)).rejects.toMatchObject({
    name: 'NotTried',
    message: expect.stringContaining(reason),
  })
  expect([sent, service.exchanges]).toEqual([[], []])
})

test('the project of the run, its uploads, and uploads into no project are sent with the fewest permissions', async () => {
  const { service, sent } = answering(undefined, { createProjects: false, annotations: false, sizes: false })
  await service.ask({ ...post('/projects'), isOfRun: true })
  for (const id of [ownProject, unknownProject, 'hp-1'])
    await service.ask(post(`/projects/${id}/transcripts`, { process: false }))
  expect(sent).toHaveLength(4)
  expect(service.created).toEqual({ projects: 1, transcripts: 1, annotations: 0 })
})

const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('{}', { status: code, headers })

test.each<[string, () => Response, string]>([
  ['503', status(503), 'answered 503'],
  ['a redirect', status(302), 'redirect'],
  ['a reset connection', () => Response.error(), 'redirect'],
  ['cut JSON', () => new Response('{"data":', { headers: { 'content-type': 'application/json' } }), 'cut'],
  ['a page', () => new Response('<p>', { headers: { 'content-type': 'text/html' } }), 'HTML page'],
  ['429 again and again', status(429), 'again and again'],
  ['429 for an hour', status(429, { 'retry-after': '3600' }), 'asks to wait 3600 s'],
  [
    'no answer',
    () => {
      throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
    },
    'ECONNRESET',
  ],
])('%s shows nothing about the service', async (_, answer, reason) => {
  const { service } = answering([answer])
  await expect(service.ask(post('/projects'))).rejects.toMatchObject({
    name: 'NotTried',
    message: expect.stringContaining(reason),
  })
  expect(service.created.projects).toBe(0)
})

test('a 429 is waited out for as long as it says, and the answer after it counts', async () => {
  const later = new Date(Date.UTC(2026, 0, 1) + 9000).toUTCString()
  const limited = [status(429, { 'retry-after': '7' }), status(429), status(429, { 'retry-after': later })]
  const { service, waits } = answering([...limited, status(201)])
  expect((await service.ask(post('/projects'))).status).toBe(201)
  expect([waits, service.requests, service.created.projects]).toEqual([[7000, 2000, 9000], 4, 1])
})

test('an exchange shows no key, whichever part holds it', async () => {
  const echo = () => new Response(`{"key":"${keys.workspace}"}`, { headers: { 'x-echo': keys.annotation } })
  const { service } = answering([echo])
  await service.ask({ ...post(`/projects?key=${keys.workspace}`, { name: keys.annotation }) })
  await service.ask({ surface: 'workspace', path: '/projects', key: `${keys.workspace}x` })
  await service.ask({ surface: 'workspace', path: '/projects', headers: { authorization: keys.workspace } })
  expect(JSON.stringify(service.exchanges)).not.toMatch(/sk-/)
  expect(service.exchanges.map(({ headers }) => headers.authorization)).toEqual(['Bearer …', 'Bearer …', '…'])
})
