import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ambiguities, createReferenceServer, type FaultRule, referenceKey } from '@svc/reference-server'
import { expect, it } from 'vitest'
import { type CliOptions, createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

/** A service whose answers need not conform to the spec, and the command. */
function opened(options: { ambiguities?: Partial<Ambiguities>; faults?: readonly FaultRule[] } = {}) {
  const shell = createShell()
  const { baseUrl, publicBaseUrl } = shell.server
  const server = createReferenceServer({ baseUrl, publicBaseUrl, ...options })
  const others = server.world.createProject({ name: 'Of others' })
  server.world.createTranscript(others, { name: 'T', turns: [{ role: 'user', content: 'Hi' }] })
  const run = (args: string[], more: CliOptions = {}) =>
    shell.svc(['contract', ...args], { ...more, io: { fetch: (request) => server.fetch(request), ...more.io } })
  const counts = () => [[...server.world.allProjects()].length, [...server.world.allTranscripts()].length]
  return { ...shell, server, others, run, counts }
}

it('says what will be created and asks; without a terminal it needs --yes, and sends nothing', async () => {
  const { run, counts, server } = opened()
  const refused = await run([])
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('add --yes')])
  expect(refused.err).toMatch(
    /creates at most 1 project, \d+ transcripts and 4 annotations, which may be billed; nothing can be deleted/,
  )
  const denied = await run([], { tty: true, answers: ['n'] })
  expect([denied.code, denied.asked.length]).toEqual([3, 1])
  expect(server.requests).toHaveLength(0)
  const [, planned] = /(\d+) transcripts/.exec(refused.err) ?? []
  expect((await run(['--yes'])).code).toBe(0)
  const [projects = 0, transcripts = 0] = counts()
  expect(projects).toBe(2)
  // A service may need a few more to be seen.
  expect(Number(planned) + 1 - transcripts).toBeOneOf([0, 1, 2, 3])
})

it('uses one project again, and never writes to another one', async () => {
  const { run, counts, server, others } = opened()
  await run(['--yes', '--no-annotations'])
  const [projects] = counts()
  const before = JSON.stringify(others.record)
  expect((await run(['--yes', '--no-annotations'])).code).toBe(0)
  expect([projects, counts()[0], JSON.stringify(others.record)]).toEqual([2, 2, before])
  const written = server.requests.filter(({ method, path }) => method === 'POST' && path.includes(others.record.id))
  expect(written).toEqual([])
  expect(server.requests.filter(({ operation }) => operation === 'annotations.create')).toEqual([])
})

it('finds no drift against a saved result (0), other readings (100), or what cannot be judged (101)', async () => {
  const { run, cwd, server, svc } = opened({ ambiguities: { rowFields: 'id' } })
  const saved = join(cwd, 'service.json')
  const first = await run(['--yes', '--save', 'service.json', '--report', 'html=service.html'])
  expect([first.code, first.out]).toEqual([0, expect.stringContaining('rowFields: id\n')])
  expect(readFileSync(join(cwd, 'service.html'), 'utf8')).toContain('<td><code>rowFields</code><td>id')
  for (const file of ['service.json', 'service.html'])
    expect(readFileSync(join(cwd, file), 'utf8')).not.toContain(referenceKey)
  const same = await run(['--yes', '--against', 'service.json'])
  expect([same.code, same.out]).toEqual([0, expect.stringMatching(/^same: \d+ of \d+ rules/)])
  server.ambiguities.set({ rowFields: 'full', created: 200 })
  const other = await run(['--yes', '--against', 'service.json'])
  expect([other.code, other.out]).toEqual([
    100,
    expect.stringContaining('different: rowFields\n  before: id\n  now:    full'),
  ])
  expect(other.out).toContain('different: an upload is answered with 201')
  server.ambiguities.reset()
  server.faults.add({ kind: 'status', code: 503, on: 'transcripts.list' })
  const unjudged = await run(['--yes', '--against', 'service.json', '--json'])
  expect([unjudged.code, unjudged.json()]).toMatchObject([101, { drift: { verdict: 'not judged' } }])
  writeFileSync(saved, readFileSync(saved, 'utf8').replace('svc/contract@1', 'svc/contract@9'))
  for (const argv of [
    ['contract', '--yes', '--against', 'service.json'],
    ['mock', '--like', 'service.json'],
  ]) {
    const refused = await svc(argv)
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('found "svc/contract@9"')])
  }
})

const html = async () => new Response('<p>Sign in</p>', { headers: { 'content-type': 'text/html' } })

it.each<[string, number, CliOptions, string]>([
  ['a key that is unknown', 4, { env: { SVC_API_KEY: 'sk-service-api03-nobody' } }, '(401)'],
  ['a key of one surface only', 4, { env: { SVC_WORKSPACE_API_KEY: 'sk-service-api03-nobody' } }, '--only annotation'],
  ['a key that cannot write', 4, { env: { SVC_WORKSPACE_API_KEY: 'sk-service-api03-reader' } }, 'may not write'],
  ['a base URL without its path', 6, { env: { SVC_PUBLIC_BASE_URL: 'https://svc.test' } }, '/public/api/v1'],
  ['a service that answers HTML', 6, { io: { fetch: html } }, 'HTML page'],
  ['no key', 4, { env: { SVC_API_KEY: '' } }, 'no key'],
  ['no base URL', 3, { env: { SVC_BASE_URL: '', SVC_PUBLIC_BASE_URL: '' } }, 'SVC_BASE_URL'],
  ['a plain http address', 3, { env: { SVC_BASE_URL: 'http://svc.example' } }, 'https'],
])('ends with the reason and creates nothing for %s', async (_, code, options, reason) => {
  const { run, counts, server } = opened()
  server.world.createKey({ key: 'sk-service-api03-reader', permissions: ['projects-read'] })
  const before = counts()
  const result = await run(['--yes'], options)
  expect([result.code, result.out]).toEqual([code, ''])
  expect(result.err).toContain(reason)
  expect(counts()).toEqual(before)
})

/** A saved service whose lists lag by 20 s, and which refuses stamps. */
const saved = {
  schema: 'svc/contract@1',
  at: '2026-11-28T10:00:00.000Z',
  poll_ms: 1000,
  ambiguities: { listLagMs: { reading: 20_000 }, metadata: { reading: 'svc refused' } },
  rules: [],
}

it('svc init keeps what a saved service asks for, config list shows from where, and an upload uses it', async () => {
  const { svc, cwd, server, project } = createShell(createSession({ ambiguities: { metadata: 'svc refused' } }))
  const env = { SVC_CONFIG: join(cwd, 'home/config.json') }
  const files = { 'service.json': saved, 'a.json': [{ role: 'user', content: 'Hi' }] }
  const init = await svc(['init', '--like', 'service.json'], { env, files })
  expect([init.code, init.err]).toEqual([0, expect.stringContaining('kept listLag 21s, stamp false from service.json')])
  const listed = await svc(['config', 'list', '--show-origin'], { env })
  const origin = `profile default in ${env.SVC_CONFIG}, from ${join(cwd, 'service.json')} of 2026-11-28`
  expect(listed.out).toContain(`listLag\t21s\t${origin}\nstamp\tfalse\t${origin}\n`)
  expect((await svc(['upload', 'a.json'], { env })).code).toBe(0)
  expect(server.world.transcripts(project)).toHaveLength(1)
  expect((await svc(['upload', 'a.json', '--again'], { env: { ...env, SVC_STAMP: 'true' } })).code).toBe(6)
  expect(await svc(['config', 'set', 'listLag', 'soon'], { env })).toMatchObject({
    code: 2,
    err: expect.stringContaining('listLag: expected a duration'),
  })
  await svc(['config', 'set', 'listLag', '30s'], { env })
  expect((await svc(['config', 'list', '--show-origin'], { env })).out).toContain(
    `listLag\t30s\tprofile default in ${env.SVC_CONFIG}\n`,
  )
})

it('svc init offers the settings of service.json in the folder, and keeps none if the answer is no', async () => {
  const { svc, cwd } = createShell()
  const env = { SVC_CONFIG: join(cwd, 'home/config.json') }
  const answers = ['n', '']
  const { code, asked } = await svc(['init'], { env, files: { 'service.json': saved }, tty: true, answers })
  expect([code, asked[0]?.question]).toEqual([0, 'Keep listLag 21s, stamp false from service.json? [y/N] '])
  expect((await svc(['config', 'list'], { env })).out).not.toContain('listLag')
})

it('stops at a signal in the middle of a run, and the next run uses the same project', async () => {
  const { run, server, counts } = opened()
  const stop = new AbortController()
  const fetch = (request: Request) => {
    if (server.requests.length === 60) stop.abort('SIGINT')
    return server.fetch(request)
  }
  const stopped = await run(['--yes', '--save', 'service.json'], { signal: stop.signal, io: { fetch } })
  expect([stopped.code, counts()[0]]).toEqual([130, 2])
  const uploads = counts()[1] ?? 0
  expect((await run(['--yes'])).code).toBe(0)
  expect([counts()[0], (counts()[1] ?? 0) > uploads]).toEqual([2, true])
})
