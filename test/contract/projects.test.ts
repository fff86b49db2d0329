import { describe, expect, it } from 'vitest'
import { refusal } from '../refusal.js'
import { createSession } from '../session.js'

const unknownId = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'

describe('POST /projects', () => {
  it('creates a project that is empty and carries its times', async () => {
    const { svc, clock } = createSession()
    const now = new Date(clock.now()).toISOString()
    expect(await svc.projects.create({ name: 'Support', domain: 'ai_coding' })).toEqual({
      id: expect.stringMatching(/^hp-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      name: 'Support',
      transcript_count: 0,
      latest_transcript_at: null,
      created_at: now,
      updated_at: now,
    })
  })

  it('is answered with 201 and the processing time', async () => {
    const { svc } = createSession()
    const { response } = await svc.projects.create({ name: 'P' }).withResponse()
    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({ data: expect.any(Object), processing_time_ms: expect.any(Number) })
  })

  it('takes a name of 1 to 500 characters, counted as code points', async () => {
    const { svc } = createSession()
    for (const name of ['x', '🙂'.repeat(500)]) expect((await svc.projects.create({ name })).name).toBe(name)
    for (const name of ['', 'x'.repeat(501), '🙂'.repeat(501), undefined, 7, null] as string[]) {
      const error = await refusal(svc.projects.create({ name }))
      expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' })
      expect(error.detail).toContain('name')
    }
  })

  it('takes only the two domains, and ignores fields that it does not know', async () => {
    const { svc } = createSession()
    expect(await refusal(svc.projects.create({ name: 'P', domain: 'cooking' as never }))).toMatchObject({ status: 400 })
    expect((await svc.projects.create({ name: 'P', colour: 'red' } as never)).name).toBe('P')
  })
})

describe('GET /projects', () => {
  it('lists the newest first, in pages with a total', async () => {
    const { svc, clock } = createSession()
    for (let i = 1; i <= 5; i++) {
      await svc.projects.create({ name: `P${i}` })
      await clock.advance(1_000)
    }
    const first = await svc.projects.list({ limit: 2 })
    expect(first.data.map(({ name }) => name)).toEqual(['P5', 'P4'])
    expect(first.pagination).toEqual({ page: 1, limit: 2, total: 5 })
    const last = await svc.projects.list({ page: 3, limit: 2 })
    expect(last.data.map(({ name }) => name)).toEqual(['P1'])
    expect((await svc.projects.list({ page: 9 })).data).toEqual([])
    expect((await svc.projects.list()).pagination).toEqual({ page: 1, limit: 20, total: 5 })
  })

  it('is walked to its end by all(), each project once', async () => {
    const { svc, server } = createSession()
    for (let i = 0; i < 250; i++) server.world.createProject({ name: `P${i}` })
    const names = new Set<string>()
    for await (const { name } of svc.projects.all()) names.add(name)
    expect(names.size).toBe(250)
    expect(server.requests).toHaveLength(3)
  })

  it('refuses pages and limits out of bounds, or moves them in, by reading', async () => {
    const strict = createSession()
    for (const query of [{ limit: 101 }, { limit: 0 }, { page: 0 }, { page: 1.5 }, { limit: -1 }]) {
      expect(await refusal(strict.svc.projects.list(query))).toMatchObject({ status: 400 })
    }
    const lenient = createSession({ readings: { lenientPaging: true } })
    expect((await lenient.svc.projects.list({ limit: 1_000 })).pagination?.limit).toBe(100)
  })
})

describe('GET /projects/{projectId}', () => {
  it('gives the project, with what a report adds under a name that is not shown', async () => {
    const seed = { projects: [{ id: unknownId, name: 'P', extra: { executive_summary: { text: 'All well.' } } }] }
    const { svc } = createSession({ seed })
    const project = await svc.projects.get(unknownId)
    expect(project).toMatchObject({ name: 'P', executive_summary: { text: 'All well.' } })
    expect((await svc.projects.list()).data[0]).not.toHaveProperty('executive_summary')
  })

  it('is 404 for an unknown id and for one that is none', async () => {
    const { svc } = createSession()
    for (const id of [unknownId, 'hp-1', 'nonsense']) {
      expect(await refusal(svc.projects.get(id))).toMatchObject({ status: 404, type: 'not_found_error' })
    }
  })
})

describe('the legacy routes', () => {
  it('answer as the routes that replace them', async () => {
    const { svc } = createSession()
    const project = await svc.legacy.createSession({ name: 'Old' })
    expect(await svc.projects.get(project.id)).toEqual(project)
    const turns = [{ role: 'user', content: 'hi' }]
    for (const field of ['projectId', 'sessionId']) {
      const transcript = await svc.legacy.createTranscript({ name: 'T', turns, modelName: 'm', [field]: project.id })
      expect(transcript).toMatchObject({ model_name: 'm', turn_count: 1, created_at: expect.any(String) })
      for (const field of ['success', 'workspaceId']) expect(transcript).not.toHaveProperty(field)
    }
  })
})
