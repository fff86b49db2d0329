import { createClient, type TranscriptUpload } from '@svc/client'
import { createReferenceServer } from '@svc/reference-server'
import { type RequestViolation, referenceKey, type ServerOptions } from '@svc/reference-server/core'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, it } from 'vitest'
import { pointer, resolve } from '../../helpers/conformance.js'
import { runs } from '../../helpers/long.js'

const project = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
const seed = { projects: [{ id: project, name: 'P' }] }
const turns = [{ role: 'user', content: 'Where is order 7?' }]

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Ways to send a request below the base URL of a surface, and the problems that the server notes. */
async function served(edge: 'fetch' | 'msw' | 'http', options: ServerOptions = {}) {
  const server = createReferenceServer({ seed, ...options })
  if (edge === 'msw') {
    const interceptor = setupServer(...server.handlers)
    interceptor.listen()
    closing.push(async () => interceptor.close())
  }
  const { baseUrl, publicBaseUrl, close } = edge === 'http' ? await server.listen() : { ...server, close: undefined }
  if (close) closing.push(close)
  const fetch = edge === 'fetch' ? server.fetch : globalThis.fetch
  async function send(target: string, body?: unknown, headers: Record<string, string | undefined> = {}) {
    const [method = 'GET', path = ''] = target.split(' ')
    const all = { authorization: `Bearer ${referenceKey}`, 'content-type': 'application/json', ...headers }
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const base = path.startsWith('/v1') || path === '/health' ? baseUrl : publicBaseUrl
    const response = await fetch(`${base}${path}`, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: text }),
    }).catch(() => undefined)
    await response?.text()
    return response?.status
  }
  const at = { baseUrl, publicBaseUrl, ...(edge === 'fetch' && { fetch: server.fetch }) }
  return { server, send, at, lines: () => server.violations().map(lineOf) }
}

const lineOf = ({ operation, in: part, name, problem, requests }: RequestViolation) =>
  `${operation} ${part} ${name} ${problem} ×${requests}`

const upload = `POST /projects/${project}/transcripts`

/** A request, and what is wrong with it. */
const mistakes: [request: Parameters<Awaited<ReturnType<typeof served>>['send']>, status: number, line: string][] = [
  [['GET /project'], 404, 'null path  no such path (did you mean /projects?) ×1'],
  [['GET /v1/projects'], 404, 'null path  no such path ×1'],
  [['GET /annotators'], 404, 'null path  no such path ×1'],
  [['POST /v1/annotators', {}], 405, 'null path  POST: This path allows GET, HEAD, OPTIONS. ×1'],
  [
    ['GET /projects', undefined, { authorization: undefined }],
    401,
    'projects.list header authorization expected a key as bearer token ×1',
  ],
  [['GET /projects?page_size=5'], 200, 'projects.list query page_size no such parameter (did you mean page?) ×1'],
  [['GET /projects?limits=5'], 200, 'projects.list query limits no such parameter (did you mean limit?) ×1'],
  [['GET /projects?limit=500'], 400, 'projects.list query  limit: expected an integer from 1 to 100 ×1'],
  [['GET /projects?page=1&page=2'], 400, 'projects.list query  page: expected one value, found 2 ×1'],
  [
    [`GET /projects/${project}/transcripts?date_from=soon`],
    400,
    'transcripts.list query  date_from: expected an ISO 8601 date or date-time ×1',
  ],
  [['GET /projects/7'], 404, 'projects.get path projectId expected the form hp-<uuid> ×1'],
  [
    ['POST /projects', { name: 'P', domian: 'general' }],
    201,
    'projects.create body /domian no such field (did you mean domain?) ×1',
  ],
  [['POST /projects', {}], 400, 'projects.create body /name required ×1'],
  [['POST /projects', '{'], 400, 'projects.create body  The body is not valid JSON. ×1'],
  [
    ['POST /projects', { name: 'P' }, { 'content-type': 'text/plain' }],
    400,
    'projects.create body  The body must be sent with Content-Type: application/json. ×1',
  ],
  [
    ['POST /projects', { name: 'P' }, { 'content-type': 'application/json; charset=iso-8859-1' }],
    400,
    'projects.create body  JSON is sent in UTF-8: the Content-Type names the charset "iso-8859-1". ×1',
  ],
  [
    [upload, { name: 't', turns, modelname: 'm' }],
    201,
    'transcripts.upload body /modelname no such field (did you mean modelName?) ×1',
  ],
  [
    [upload, { name: 't', turns: [{ ...turns[0], tool_calls: [] }] }],
    201,
    'transcripts.upload body /turns/0/tool_calls no such field (did you mean toolCalls?) ×1',
  ],
  [
    [upload, { name: 't', turns: [{ role: 'user', content: 'x'.repeat(2 ** 20 + 1) }] }],
    413,
    `transcripts.upload body  /turns/0/content: exceeds ${2 ** 20} bytes of UTF-8 ×1`,
  ],
  [
    ['POST /v1/annotations', { annotator: 'structural', transcript: [{ role: 'user', content: 'Hi', visible: true }] }],
    200,
    'annotations.create body /transcript/0/visible no such field (did you mean is_user_visible?) ×1',
  ],
]

describe.each(['fetch', 'msw', 'http'] as const)('violations, over %s', (edge) => {
  it.each(mistakes.map(([request, status, line]) => [line, request, status] as const))(
    'notes the mistake: %s',
    async (line, request, status) => {
      const { send, lines } = await served(edge)
      expect([await send(...request), lines()]).toEqual([status, [line]])
    },
  )

  it('finds none in the requests of the methods of the client', async () => {
    const { server, at } = await served(edge)
    const svc = createClient({ apiKey: referenceKey, environment: {}, ...at })
    await svc.health()
    await svc.annotators.list()
    const { id } = await svc.projects.create({ name: 'P', domain: 'ai_coding' })
    await svc.projects.list({ page: 1, limit: 5 })
    await svc.projects.get(id)
    const stored = await svc.transcripts.upload(id, fullUpload)
    const filters = { model_name: 'm', language: 'en', source_system: 's', annotation: 'mood:calm' }
    await svc.transcripts.list(id, { q: 'order', ...filters, date_from: new Date(0), date_to: '2030-01-01' })
    await svc.transcripts.all(id).toArray({ limit: 10 })
    await svc.transcripts.get(stored.id)
    await svc.annotations.create({
      annotator: 'structural',
      transcript: [{ role: 'user', content: 'Hi', is_user_visible: true }],
      options: { depth: 1 },
    })
    expect(server.requests.length).toBeGreaterThan(9)
    expect(server.violations()).toEqual([])
  })

  it('says that a body is not checked which an earlier refusal left unread', async () => {
    const { server, send } = await served(edge, { faults: ['projects.create: waf; times=1'] })
    expect(await send('POST /projects', { nom: 'P' })).toBe(403)
    expect(server.requests).toMatchObject([{ isUnchecked: true }])
    expect(server.violations()).toEqual([])
    await send('POST /projects', { nom: 'P' })
    expect(server.violations().map(({ name }) => name)).toEqual(['/name', '/nom'])
  })

  it('counts a problem of many turns and requests once, and forgets all at a reset', async () => {
    const { server, send, lines } = await served(edge)
    const wrong = { name: 't', turns: [1, 2, 3].map(() => ({ ...turns[0], Content: '' })) }
    for (let i = 0; i < 2; i++) await send(upload, wrong)
    expect(lines()).toEqual(['transcripts.upload body /turns/0/Content no such field (did you mean content?) ×2'])
    server.reset()
    expect(server.violations()).toEqual([])
  })
})

describe('a violation', () => {
  it('is noted also where a lenient reading accepts the request', async () => {
    const { send, lines } = await served('fetch', { ambiguities: { lenientPaging: true } })
    expect(await send('GET /projects?limit=500')).toBe(200)
    expect(lines()).toEqual(['projects.list query  limit: expected an integer from 1 to 100 ×1'])
  })

  it('names the surface that has the path', async () => {
    const { server, at } = await served('fetch')
    await server.fetch(`${at.baseUrl}/projects/${project}`)
    await server.fetch(`${at.publicBaseUrl}/v1/annotators`)
    expect(server.violations().map(({ problem }) => problem)).toEqual([
      'no such path on the annotation surface; the workspace surface has it',
      'no such path on the workspace surface; the annotation surface has it',
    ])
  })

  it('is no injected refusal, no unknown record, no other workspace and no rate limit', async () => {
    const { server, send } = await served('fetch', {
      faults: ['projects.list: status; code=400; times=1'],
      limits: { requests: 1, windowMs: 60_000 },
    })
    const statuses = [await send('GET /projects'), await send('GET /transcripts/tr_none'), await send('GET /projects')]
    expect(statuses).toEqual([400, 404, 429])
    expect(server.violations()).toEqual([])
  })

  it('shows no value and no long name of a request', async () => {
    const { server, send } = await served('fetch')
    await send(`POST /projects?${'q'.repeat(500)}=secret`, { name: { secret: 1 }, ['n'.repeat(5000)]: 'secret' })
    const text = JSON.stringify(server.violations().map(({ name, problem }) => name + problem))
    expect(text).not.toContain('secret')
    expect(text.length).toBeLessThan(600)
  })
})

/** The schema of a body in the spec, closed wherever it names fields and does not say that others are allowed. */
function closedSchema(surface: 'annotation' | 'workspace', path: string) {
  const close = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(close)
    if (typeof node !== 'object' || node === null) return node
    if ('$ref' in node) return close(resolve(surface, String(node.$ref).slice(1)).value)
    const closed = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, close(value)]))
    return 'properties' in closed && !('additionalProperties' in closed)
      ? { ...closed, additionalProperties: false }
      : closed
  }
  const at = pointer('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema')
  return close(resolve(surface, at).value) as object
}

/** A body with some changes: fields removed, added, renamed, or with other values. */
function changed(body: unknown, changes: readonly { at: number; how: string; value: unknown }[]): unknown {
  const copy = structuredClone(body)
  for (const { at, how, value: shared } of changes) {
    // A later change may reach into the value.
    const value = structuredClone(shared)
    const places: [parent: Record<string, unknown>, name: string][] = []
    const visit = (node: unknown) => {
      if (typeof node !== 'object' || node === null) return
      for (const name of Object.keys(node)) {
        places.push([node as Record<string, unknown>, name])
        visit((node as Record<string, unknown>)[name])
      }
    }
    visit(copy)
    const [parent, name] = places[at % places.length] ?? [{}, '']
    if (how === 'remove' && !Array.isArray(parent)) delete parent[name]
    else if (how === 'add' && !Array.isArray(parent)) parent[`${name}s`] = value
    else parent[name] = value
  }
  return copy
}

describe('the check of bodies', () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats(ajv)
  const value = fc.oneof(
    fc.constantFrom(null, true, 0, '', 'user', 'tool', 'general', '2026-01-01T00:00:00Z', [], {}, [{ role: 'user' }]),
    fc.string({ maxLength: 12 }),
    fc.constant('x'.repeat(501)),
  )
  const changes = fc.array(fc.record({ at: fc.nat(60), how: fc.constantFrom('remove', 'add', 'replace'), value }), {
    maxLength: 3,
  })
  it.each([
    ['workspace', '/projects', '/projects', { name: 'P', domain: 'general' }],
    ['workspace', '/projects/{projectId}/transcripts', `/projects/${project}/transcripts`, () => withoutTimes],
    ['annotation', '/v1/annotations', '/v1/annotations', () => fullAnnotation],
  ] as const)(
    'finds a problem on the %s surface in a body of %s exactly where the spec does',
    async (surface, template, path, given) => {
      const validate = ajv.compile(closedSchema(surface, template))
      const { server, send } = await served('fetch')
      await fc.assert(
        fc.asyncProperty(changes, async (drawn) => {
          const body = changed(typeof given === 'function' ? given() : given, drawn)
          await send(`POST ${path}`, body)
          const problems = server.requests.at(-1)?.problems ?? []
          expect(problems.length === 0, JSON.stringify({ body, problems, errors: validate.errors })).toBe(
            validate(body),
          )
        }),
        { numRuns: runs(100) },
      )
    },
  )
})

const fullUpload = {
  name: 't',
  turns: [
    { role: 'user', content: 'Where is order 7?', createdAt: '2026-05-04T09:12:00Z', metadata: { a: 1 } },
    { role: 'assistant', content: '', toolCalls: [{ name: 'find', args: { order: 7 } }] },
    { role: 'tool', content: 'sent', toolResults: [{ name: 'find', result: { state: 'sent' } }] },
  ],
  modelName: 'm',
  language: 'en',
  sourceSystem: 's',
  externalId: '7',
  externalUserId: '9',
  metadata: { team: 'billing' },
  sourceTimestamp: '2026-05-04T09:12:00Z',
  process: true,
} satisfies TranscriptUpload

/** The spec does not say in a schema which texts are times. */
const { sourceTimestamp: _, ...untimed } = fullUpload
const withoutTimes = { ...untimed, turns: fullUpload.turns.map(({ createdAt: _created, ...turn }) => turn) }

const fullAnnotation = {
  annotator: 'structural',
  transcript: [{ role: 'user', content: 'Hi', is_user_visible: true }],
  options: { depth: 1 },
}
