import { readFileSync } from 'node:fs'
import { createControlClient } from '@svc/reference-server/control'
import { createServer, referenceKey, steeredClock } from '@svc/reference-server/core'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { controlOperations } from '../../../packages/reference-server/src/control/index.js'

type Answer = { $ref?: string; content?: unknown }
type Operation = { operationId: string; parameters?: { name: string; in: string }[]; responses: Record<string, Answer> }
const document = parse(readFileSync(new URL('../../../spec/control.openapi.yaml', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
}
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
)

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema(document, 'control')
const pointerOf = (...steps: string[]) =>
  steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** A server that can be steered, with a client of its control plane whose answers are compared with the document. */
function steered() {
  const clock = steeredClock({ now: () => Date.UTC(2026, 0, 1), after: () => () => {} })
  const server = createServer({ control: { token: 't' }, clock })
  const called = new Set<string>()
  const fetch = async (request: Request) => {
    const response = await server.fetch(request)
    const path = new URL(request.url).pathname.replace('/_svc', '')
    const operation = described.find(
      (each) =>
        each.method === request.method && new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    )
    if (!operation) throw new Error(`The document has no ${request.method} ${path}.`)
    called.add(operation.operationId)
    const answer = operation.responses[response.status]
    expect(answer, `${operation.operationId} ${response.status}`).toBeDefined()
    const text = await response.clone().text()
    if (response.status !== 204) {
      const at =
        answer?.$ref?.slice(1) ??
        pointerOf('paths', operation.path, request.method.toLowerCase(), 'responses', String(response.status))
      const validate = ajv.compile({ $ref: `control#${at}/content/${'application~1json'}/schema` })
      validate(JSON.parse(text))
      expect(validate.errors, `${operation.operationId}: ${text}`).toBe(null)
    } else expect(text).toBe('')
    return response
  }
  const control = createControlClient({ url: 'https://svc.test/_svc/', token: 't', fetch })
  const ask = async (path: string, body?: object, key = referenceKey) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const url = path.startsWith('/v1') ? `https://svc.test${path}` : `${server.publicBaseUrl}${path}`
    const response = await server.fetch(
      url,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
    )
    return { status: response.status, body: (await response.json()) as Record<string, never> }
  }
  return { server, clock, control, ask, called }
}

describe('the control plane', () => {
  it('is described: every operation with its parameters, and no other', () => {
    const own = controlOperations.map(({ id, method, path, query = [] }) => `${id} ${method} ${path} ${query.join()}`)
    const inDocument = described.map(({ operationId, method, path, parameters = [] }) => {
      const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
      return `${operationId} ${method} ${path} ${query.join()}`
    })
    expect([...own, 'description.get GET /openapi.json '].sort()).toEqual(inDocument.sort())
  })

  it('does what the library does, in the answers that the document declares', async () => {
    const { server, control, ask, called } = steered()
    const { data: project } = await control.POST('/projects', { body: { name: 'P', extra: { mood: 'calm' } } })
    const params = { path: { project: project?.id ?? '' } }
    expect(project).toMatchObject({ name: 'P', extra: { mood: 'calm' }, workspace: 'reference' })
    const world = async (keys = false) => (await control.GET('/world', { params: { query: { keys } } })).data
    const turns = [{ role: 'user', content: 'Hi' }]
    const { data: transcript } = await control.POST('/projects/{project}/transcripts', {
      params,
      body: { name: 't', turns, annotations: { mood: 'calm' }, created_at: '2025-06-01T00:00:00Z' },
    })
    expect(transcript).toMatchObject({ created_at: '2025-06-01T00:00:00.000Z', annotations: { mood: 'calm' } })
    const id = transcript?.id ?? ''
    await control.POST('/annotate', { body: { transcript: id, annotations: { mood: 'cross' } } })
    expect((await world())?.projects).toMatchObject([{ transcripts: [{ id, turns, annotations: { mood: 'cross' } }] }])

    const { data: key } = await control.POST('/keys', { body: { name: 'reader', permissions: ['projects-read'] } })
    const body = { key: key?.key ?? '' }
    expect((await ask('/projects', { name: 'x' }, body.key)).status).toBe(403)
    await control.POST('/keys/revoke', { body })
    expect((await ask('/projects', undefined, body.key)).status).toBe(401)
    await control.POST('/keys/restore', { body })
    expect((await world())?.keys).toBeUndefined()
    expect((await world(true))?.keys).toMatchObject([
      { key: referenceKey },
      { ...body, name: 'reader', revoked: false },
    ])
    await control.POST('/keys/delete', { body })
    expect(server.world.key(body.key)).toBeUndefined()

    await control.POST('/limits', { body: { requests: 2, windowMs: 60_000 } })
    expect((await world())?.limits).toEqual({ requests: 2, windowMs: 60_000 })
    await control.DELETE('/limits')
    expect((await world())?.limits).toBe(null)
    await control.POST('/ambiguities', { body: { listLagMs: 8_000 } })
    expect((await world())?.ambiguities).toMatchObject({ listLagMs: 8_000, total: 'exact' })
    await control.DELETE('/ambiguities')
    await control.POST('/submit-error', { body: { on: true } })
    expect((await world())?.submitError).toBe(true)
    expect((await ask(`/projects/${params.path.project}/transcripts`, { name: 't', turns })).body).toMatchObject({
      data: { processing_status: 'error' },
    })

    await control.POST('/faults', { body: { fault: 'projects.list: status; code=503; times=1' } })
    await control.POST('/faults', { body: { kind: 'latency', ms: 5 } })
    expect((await world())?.faults).toMatchObject([
      { rule: { kind: 'status', code: 503 } },
      { rule: { kind: 'latency' } },
    ])
    expect((await ask('/projects')).status).toBe(503)
    await control.DELETE('/faults')

    const annotation = { annotator: 'structural', transcript: [{ role: 'user', content: 'my refund' }] }
    await control.POST('/annotators', {
      body: { id: 'structural', answers: [{ when: { contains: 'refund' }, times: 2, outcome: 'strong' }] },
    })
    expect((await ask('/v1/annotations', annotation)).body).toMatchObject({ outcome: 'strong' })
    expect((await world())?.annotators).toMatchObject([{ id: 'structural', answers: [{ times: 1 }] }])
    await control.DELETE('/annotators')
    expect((await ask('/v1/annotations', annotation)).body).toMatchObject({ outcome: 'critical' })

    expect((await control.POST('/clock', { body: { advanceMs: 1_000 } })).data).toMatchObject({
      now: '2026-01-01T00:00:01.000Z',
    })
    expect((await world())?.clock).toMatchObject({ running: true })
    const list = await control.GET('/requests', { params: { query: { operation: 'annotations.create' } } })
    expect(list.data).toMatchObject([{ body: annotation, status: 200, ran: true }, { body: annotation }])
    expect(list.response.headers.get('svc-dropped')).toBe('0')
    const later = await control.GET('/requests', { params: { query: { since: '2026-01-01T00:00:01Z' } } })
    expect(later.data).toEqual([])
    await control.DELETE('/requests', { params: { query: { operation: 'annotations.create' } } })
    expect(server.requests.for('annotations.create')).toEqual([])
    expect(server.requests.for('projects.list')).toHaveLength(2)
    await control.DELETE('/requests', { params: { query: { until: '2026-01-01T00:00:01Z' } } })
    expect(server.requests).toEqual([])
    await ask('/projects', { name: 'P', domian: 'general' })
    const violations = await control.GET('/violations')
    expect(violations.data).toMatchObject([{ in: 'body', name: '/domian', operation: 'projects.create', requests: 1 }])
    expect(violations.data).toEqual(server.violations())
    // The upload that was refused for its key.
    expect(violations.response.headers.get('svc-unchecked')).toBe('1')

    const { data: snapshot } = await control.GET('/world', { params: { query: { keys: true } } })
    await control.POST('/reset')
    expect((await world())?.projects).toEqual([])
    await control.PUT('/world', { body: snapshot ?? {} })
    expect((await control.GET('/world', { params: { query: { keys: true } } })).data).toEqual(snapshot)
    const { data: self } = await control.GET('/openapi.json')
    expect(self).toMatchObject({ openapi: '3.1.0', paths: document.paths })
    expect([...called].sort()).toEqual(described.map(({ operationId }) => operationId).sort())
  })

  it('has a call for all in the library that is data', () => {
    const { server } = steered()
    const membersOf = (value: object) => [
      ...Object.keys(value),
      ...Object.getOwnPropertyNames(Object.getPrototypeOf(value)).filter((name) => name !== 'constructor'),
    ]
    const of = (name: string, value: object) => membersOf(value).map((member) => `${name}.${member}`)
    const { world, faults, ambiguities } = server
    const members = [
      ...Object.keys(server).map((member) => `server.${member}`),
      ...of('world', world),
      ...of('faults', faults),
      ...of('ambiguities', ambiguities),
      ...['for', 'dropped', 'clear'].map((member) => `requests.${member}`),
    ]
    const ids = new Set([...controlOperations.map(({ id }) => id), 'description.get'])
    expect(members.filter((member) => !(member in callsOf))).toEqual([])
    expect(Object.keys(callsOf).filter((member) => !members.includes(member))).toEqual([])
    expect(
      Object.values(callsOf)
        .flat()
        .filter((id) => !ids.has(id) && !notData.has(id)),
    ).toEqual([])
    const withoutMember = ['limits.set', 'limits.clear', 'annotators.set', 'annotators.clear']
    const called = new Set([...Object.values(callsOf).flat(), ...withoutMember, 'clock.steer', 'description.get'])
    expect([...ids].filter((id) => !called.has(id))).toEqual([])
  })

  it('names the nearest call, parameter and field of a wrong one', async () => {
    const { server } = steered()
    const refusal = async (method: string, path: string, body?: object) => {
      const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
      const response = await server.fetch(`https://svc.test/_svc/${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      return `${response.status} ${((await response.json()) as { detail: string }).detail}`
    }
    expect(await refusal('GET', 'request')).toContain(
      '404 The control plane has no GET request (did you mean GET requests?)',
    )
    expect(await refusal('GET', 'requests?operations=x')).toBe(
      '400 ?operations: no such parameter (did you mean operation?)',
    )
    expect(await refusal('GET', 'requests?since=soon')).toContain('400 ?since: expected an ISO 8601 date-time')
    expect(await refusal('DELETE', 'requests?untill=1')).toBe('400 ?untill: no such parameter (did you mean until?)')
    expect(await refusal('DELETE', 'requests?until=')).toContain('400 ?until: expected an ISO 8601 date-time')
    expect(await refusal('GET', 'world?keys=1')).toBe('400 ?keys: expected true or false')
    expect(await refusal('POST', 'submit-error', { off: true })).toContain('400 /on: required; /off: no such field')
    expect(await refusal('PUT', 'world', { project: [] })).toContain('/project: no such field (did you mean projects?)')
    expect(await refusal('POST', 'projects/hp-1/transcripts', {})).toBe('404 There is no project with this id.')
    expect(await refusal('POST', 'clock', { advance: 1 })).toContain('/advance: no such field')
  })

  it('says how to turn it on where it is off', async () => {
    const response = await createServer().fetch('https://svc.test/_svc/requests')
    expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
      404,
      expect.stringContaining('svc mock with --control'),
    ])
    expect(() => createControlClient({ url: undefined, token: undefined })).toThrow('svc mock --control')
  })
})

/** Why a member has no call. */
const notData = new Set(['an edge', 'a function', 'the process', 'a part', 'a record of the library'])

/** The calls of the control plane that do what each member of the library does. */
const callsOf: Readonly<Record<string, string | string[]>> = {
  'server.baseUrl': 'an edge',
  'server.publicBaseUrl': 'an edge',
  'server.fetch': 'an edge',
  'server.owns': 'an edge',
  'server.listen': 'an edge',
  'server.close': 'the process',
  'server.fork': 'the process',
  'server.restored': 'the process',
  'server.world': 'a part',
  'server.requests': 'requests.list',
  'server.faults': 'a part',
  'server.ambiguities': 'a part',
  'server.violations': 'violations.list',
  'server.reset': 'state.reset',
  'server.snapshot': 'state.snapshot',
  'server.restore': 'state.restore',
  'world.submit': 'a function',
  'world.onSubmitted': 'a function',
  'world.submitError': ['state.snapshot', 'submitError.set'],
  'world.empty': 'state.snapshot',
  'world.defaultWorkspace': 'state.snapshot',
  'world.createKey': 'keys.create',
  'world.key': 'state.snapshot',
  'world.keys': 'state.snapshot',
  'world.revoke': 'keys.revoke',
  'world.restore': 'keys.restore',
  'world.delete': 'keys.delete',
  'world.use': 'a function',
  'world.createProject': 'projects.create',
  'world.touch': 'projects.create',
  'world.project': 'state.snapshot',
  'world.projects': 'state.snapshot',
  'world.createTranscript': 'transcripts.create',
  'world.transcript': 'state.snapshot',
  'world.transcripts': 'state.snapshot',
  'world.ages': 'state.snapshot',
  'world.storedAt': 'state.snapshot',
  'world.allProjects': 'state.snapshot',
  'world.allTranscripts': 'state.snapshot',
  'world.annotate': 'transcripts.annotate',
  'world.setModel': 'transcripts.create',
  'world.replaceAll': 'state.restore',
  'world.close': 'the process',
  'faults.add': 'faults.add',
  'faults.reset': 'state.reset',
  'faults.clear': 'faults.clear',
  'faults.rules': 'state.snapshot',
  'faults.states': 'state.snapshot',
  'faults.restore': 'state.restore',
  'faults.needed': 'a function',
  'faults.match': 'a function',
  'ambiguities.current': 'state.snapshot',
  'ambiguities.set': 'ambiguities.set',
  'ambiguities.clear': 'ambiguities.clear',
  'ambiguities.reset': 'state.reset',
  'requests.for': 'requests.list',
  'requests.dropped': 'requests.list',
  'requests.clear': 'requests.clear',
}
