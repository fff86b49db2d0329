import type { TranscriptUpload } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../helpers/refusal.js'
import { createSession, type Session } from '../../helpers/session.js'

// The rules test the answers of the server; these tests hold that each method of the client sends its request.
const conversation = [
  { role: 'user', content: 'Where is order 7?' },
  { role: 'assistant', content: 'I am unable to help with that.' },
  { role: 'user', content: 'This is ridiculous, let me speak to a human.' },
]
const turn = { role: 'user' as const, content: 'hi' }
const upload: TranscriptUpload = { name: 'A conversation', turns: [turn] }
const unknownId = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'

async function withProject(session: Session = createSession()) {
  const { id } = await session.svc.projects.create({ name: 'P' })
  const send = (more: Partial<TranscriptUpload> = {}) => session.svc.transcripts.upload(id, { ...upload, ...more })
  return { ...session, id, send }
}

describe('on the annotation surface', () => {
  it('health() needs no key, and annotators.list() none where the registry is public', async () => {
    const { client } = createSession({ substrate: 'fargate', ambiguities: { annotatorsNeedKey: false } })
    const svc = client({ apiKey: '' })
    expect(await svc.health()).toEqual({ status: 'ok', substrate: 'fargate' })
    expect((await svc.annotators.list()).map(({ id }) => id)).toEqual(['structural', 'patterns'])
    expect(await refusal(createSession().client({ apiKey: '' }).annotators.list())).toMatchObject({ status: 401 })
  })

  it('annotations.create() gives evidence that stands word for word in the turn that it names', async () => {
    const { svc } = createSession()
    const [listed] = await svc.annotators.list()
    const annotation = await svc.annotations.create({ transcript: conversation, annotator: 'structural' })
    expect(annotation).toMatchObject({ annotator: 'structural', annotator_version: listed?.annotator_version })
    expect(Object.keys(annotation.signals).length).toBeGreaterThan(0)
    for (const hit of Object.values(annotation.signals))
      expect(conversation[(hit?.turn ?? 0) - 1]?.content).toContain(hit?.evidence)
  })

  it('annotations.create() hands its options to the annotator', async () => {
    const annotator = {
      id: 'mine',
      annotator_version: '9.9.9',
      taxonomy_version: '1',
      description: 'ours',
      annotate: ({ options }: { options?: Record<string, unknown> }) => ({
        summary: { title: 't', keywords: [], summary: 's', quality_concerns: 'none', user_intent: 'u', domain: 'd' },
        outcome: 'strong' as const,
        outcome_notes: `depth ${options?.depth}`,
        signals: {},
      }),
    }
    const { svc } = createSession({ annotators: [annotator] })
    const request = { transcript: conversation, annotator: 'mine', options: { depth: 1 } }
    expect(await svc.annotations.create(request)).toMatchObject({ outcome: 'strong', outcome_notes: 'depth 1' })
  })

  it('annotations.create() is refused for an unknown annotator and for an invalid body', async () => {
    const { svc } = createSession()
    const unknown = await refusal(svc.annotations.create({ transcript: [], annotator: 'nope' }))
    expect(unknown).toMatchObject({ status: 404, kind: 'not_found', detail: expect.stringContaining('structural') })
    const bad = { transcript: [{ role: 1 }, 'text'], options: [] } as never
    const invalid = await refusal(svc.annotations.create(bad))
    expect(invalid).toMatchObject({ status: 422, kind: 'invalid_request', fields: [] })
    for (const field of ['annotator', 'role', 'content', 'options']) expect(invalid.detail).toContain(field)
  })

  it('annotations.create() waits for the end of the window of the rate limit', async () => {
    const { svc, clock } = createSession({ limits: { requests: 2, windowMs: 60_000 } })
    const annotate = (client = svc) => client.annotations.create({ transcript: [], annotator: 'structural' })
    await annotate()
    await annotate()
    const error = await refusal(annotate(svc.with({ retry: false })))
    expect(error).toMatchObject({ status: 429, kind: 'rate_limited', retryAfterMs: 60_000 })
    const waited = annotate()
    await clock.advance(62_000)
    expect((await waited).outcome).toBe('indeterminate')
  })

  it('batches.create() and batches.get() end as not implemented after one request, or name a malformed id', async () => {
    const { svc, server } = createSession()
    for (const call of [svc.batches.create({ any: 'thing' }), svc.batches.create(), svc.batches.get('b1')])
      expect(await refusal(call)).toMatchObject({ status: 501, kind: 'not_implemented' })
    expect(server.requests).toHaveLength(3)
    const error = await refusal(svc.batches.get('x'.repeat(256)))
    expect(error).toMatchObject({ status: 422, kind: 'invalid_request', fields: [{ path: 'path.batch_id' }] })
  })
})

describe('of projects', () => {
  it('create() gives the project, and its response on request', async () => {
    const { svc, clock } = createSession()
    const now = new Date(clock.now()).toISOString()
    const { data, response } = await svc.projects.create({ name: 'Support', domain: 'ai_coding' }).withResponse()
    expect(data).toEqual({
      id: expect.stringMatching(/^hp-/),
      name: 'Support',
      transcript_count: 0,
      latest_transcript_at: null,
      created_at: now,
      updated_at: now,
    })
    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({ data, processing_time_ms: expect.any(Number) })
    const error = await refusal(svc.projects.create({ name: '' }))
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' })
  })

  it('list() gives a page, and all() each project once', async () => {
    const { svc, server } = createSession()
    for (let i = 0; i < 250; i++) server.world.createProject({ name: `P${i}` })
    const { data, pagination } = await svc.projects.list({ page: 3, limit: 2 })
    expect([data.map(({ name }) => name), pagination]).toEqual([['P245', 'P244'], { page: 3, limit: 2, total: 250 }])
    const before = server.requests.length
    const names = new Set<string>()
    for await (const { name } of svc.projects.all()) names.add(name)
    expect([names.size, server.requests.length - before]).toEqual([250, 3])
  })

  it('a page of list() gives the next page with the same limit, and all() collects up to a limit', async () => {
    const { svc, server } = createSession()
    for (let i = 0; i < 5; i++) server.world.createProject({ name: `P${i}` })
    const first = await svc.projects.list({ limit: 2 })
    const second = await first.nextPage()
    expect([first.total, second.data.map(({ name }) => name)]).toEqual([5, ['P2', 'P1']])
    const third = await second.nextPage()
    expect([third.data.map(({ name }) => name), third.hasNextPage()]).toEqual([['P0'], false])
    const paths = () => server.requests.map(({ path }) => path.slice('/projects'.length))
    expect(paths()).toEqual(['?limit=2', '?limit=2&page=2', '?limit=2&page=3'])
    const directly: string[] = []
    for await (const { name } of svc.projects.list({ limit: 2 })) directly.push(name)
    expect(directly).toEqual(['P4', 'P3', 'P2', 'P1', 'P0'])
    expect(paths().slice(3)).toEqual(['?limit=2', '?limit=2&page=2', '?limit=2&page=3'])
    expect((await svc.projects.all({ limit: 2 }).toArray({ limit: 3 })).map(({ name }) => name)).toEqual([
      'P4',
      'P3',
      'P2',
    ])
  })

  it('get() gives the project, with what a report adds under a name that is not shown', async () => {
    const seed = { projects: [{ id: unknownId, name: 'P', extra: { executive_summary: { text: 'All well.' } } }] }
    const { svc } = createSession({ seed })
    expect(await svc.projects.get(unknownId)).toMatchObject({ executive_summary: { text: 'All well.' } })
    expect(await refusal(svc.projects.get('hp-1'))).toMatchObject({ status: 404, type: 'not_found_error' })
  })

  it('the legacy methods answer as those that replace them', async () => {
    const { svc } = createSession()
    const project = await svc.legacy.createSession({ name: 'Old' })
    expect(await svc.projects.get(project.id)).toEqual(project)
    const transcript = await svc.legacy.createTranscript({ ...upload, modelName: 'm', projectId: project.id })
    expect(transcript).toMatchObject({ model_name: 'm', turn_count: 1 })
  })

  it('another workspace and a lacking permission are refused by kind', async () => {
    const { server, svc, client, id, send } = await withProject()
    const { key } = server.world.createKey({ workspace: 'other' })
    const foreign = client({ apiKey: key })
    expect(await refusal(foreign.transcripts.get((await send()).id))).toMatchObject({ kind: 'not_found' })
    expect(await refusal(foreign.transcripts.upload(id, upload))).toMatchObject({ status: 403, kind: 'permission' })
    const reader = client({ apiKey: server.world.createKey({ permissions: ['projects-read'] }).key })
    expect(await refusal(reader.projects.create({ name: 'P' }))).toMatchObject({ kind: 'permission' })
    expect(await svc.projects.get(id)).toMatchObject({ transcript_count: 1 })
  })
})

describe('of transcripts', () => {
  it('upload() gives the record with every field that was sent, and get() its turns too', async () => {
    const { svc, send } = await withProject()
    const turns = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'assistant' as const, content: '', toolCalls: [{ name: 'find', args: { id: 7 } }] },
      { role: 'tool' as const, content: 'here', toolResults: [{ name: 'find', result: null }] },
      { role: 'human_agent' as const, content: 'Found.', createdAt: '2026-01-01T00:00:00Z', metadata: { shift: 2 } },
    ]
    const stored = await send({
      turns,
      modelName: 'm-1',
      language: 'en',
      sourceSystem: 'crm',
      externalId: 'e-1',
      externalUserId: 'u-1',
      metadata: { team: 'support' },
      sourceTimestamp: new Date('2025-12-31T23:59:59Z'),
    })
    expect(stored).toMatchObject({
      id: expect.stringMatching(/^tr_/),
      name: 'A conversation',
      model_name: 'm-1',
      language: 'en',
      source_system: 'crm',
      external_id: 'e-1',
      external_user_id: 'u-1',
      metadata: { team: 'support' },
      source_timestamp: '2025-12-31T23:59:59.000Z',
      turn_count: 4,
      processing_status: 'queued',
    })
    expect(await svc.transcripts.get(stored.id)).toEqual({ ...stored, turns, annotations: expect.any(Object) })
    expect(await refusal(svc.transcripts.get('tr_none'))).toMatchObject({ status: 404, type: 'not_found_error' })
  })

  it('upload() also gives a record whose analysis could not be submitted', async () => {
    const { send } = await withProject(createSession({ submit: () => false }))
    expect((await send()).processing_status).toBe('error')
    expect((await send({ process: false })).processing_status).toBe('skipped')
  })

  it('upload() is refused for its size, its fields and its project', async () => {
    const { svc, send } = await withProject()
    const six = Array.from({ length: 6 }, () => ({ role: 'user' as const, content: 'é'.repeat(2 ** 19) }))
    expect(await refusal(send({ turns: six }))).toMatchObject({ status: 413, kind: 'too_large' })
    const bad = { turns: [{ role: 'robot', content: 'my secret words' }, { role: 'user' }], metadata: [] }
    const error = await refusal(send(bad as never))
    for (const part of ['role', 'content', 'metadata']) expect(error.detail).toContain(part)
    expect(JSON.stringify(error.body)).not.toContain('secret')
    expect(await refusal(svc.transcripts.upload('hp-1', upload))).toMatchObject({ status: 400 })
    expect(await refusal(svc.transcripts.upload(unknownId, upload))).toMatchObject({ status: 404 })
  })

  it('list() sends each filter, and all() walks what they let through', async () => {
    const { svc, server, clock, id, send } = await withProject()
    const uploads: Partial<TranscriptUpload>[] = [
      { name: 'A', modelName: 'm-1', language: 'en', sourceTimestamp: '2026-01-01T00:00:00Z' },
      { name: 'B', modelName: 'm-2', sourceSystem: 'crm', sourceTimestamp: '2026-01-02T12:00:00+02:00' },
      { name: 'C', turns: [{ role: 'assistant', content: 'Refund please' }] },
    ]
    for (const each of uploads) {
      await send(each)
      await clock.advance(1_000)
    }
    const finds: [Parameters<typeof svc.transcripts.list>[1], string][] = [
      [{}, 'CBA'],
      [{ page: 2, limit: 2 }, 'A'],
      [{ model_name: 'm-1' }, 'A'],
      [{ language: 'en' }, 'A'],
      [{ source_system: 'crm' }, 'B'],
      [{ q: 'PLEASE  refund' }, 'C'],
      [{ date_from: new Date('2026-01-01T00:00:00Z') }, 'BA'],
      [{ date_to: '2026-01-01' }, 'A'],
      [{ annotation: 'structure:critical' }, 'BA'],
      [{ annotation: { key: 'structure', value: 'critical' } }, 'BA'],
    ]
    for (const [filters, expected] of finds) {
      const { data } = await svc.transcripts.list(id, filters)
      expect(data.map(({ name }) => name).join(''), JSON.stringify(filters)).toBe(expected)
    }
    expect(await refusal(svc.transcripts.list(id, { annotation: 'nocolon' }))).toMatchObject({ status: 400 })
    for (let i = 0; i < 120; i++) await send({ name: `T${i}`, language: 'de' })
    const before = server.requests.length
    const names = new Set<unknown>()
    for await (const { name } of svc.transcripts.all(id, { language: 'de' })) names.add(name)
    expect([names.size, server.requests.length - before]).toEqual([120, 2])
  })

  it('uploadMany() stores each upload once, and a refused one does not stop the others', async () => {
    const { svc, server, id } = await withProject()
    const uploads = Array.from({ length: 25 }, (_, i) => ({
      name: i === 7 ? '' : `T${i}`,
      turns: [{ role: 'user', content: `${i}` }],
    }))
    const failed: number[] = []
    for await (const result of svc.transcripts.uploadMany(id, uploads, { concurrency: 5 })) {
      if (result.status === 'rejected') failed.push(result.index)
      else expect(result.value.name).toBe(uploads[result.index]?.name)
    }
    expect(failed).toEqual([7])
    expect(new Set(server.world.transcripts(id).map(({ record }) => record.name)).size).toBe(24)
  })

  it('createMany() annotates each transcript', async () => {
    const { svc } = createSession()
    const requests = ['a', 'b', 'c'].map((content) => ({
      annotator: 'structural',
      transcript: [{ role: 'user', content }],
    }))
    const titles: string[] = []
    for await (const result of svc.annotations.createMany(requests)) {
      if (result.status === 'fulfilled') titles[result.index] = result.value.summary.title
    }
    expect(titles).toEqual(['a', 'b', 'c'])
  })
})
