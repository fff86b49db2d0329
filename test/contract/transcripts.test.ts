import type { TranscriptUpload } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { refusal } from '../refusal.js'
import { createSession, type Session } from '../session.js'

const unknownId = 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
const turn = { role: 'user' as const, content: 'hi' }
const upload: TranscriptUpload = { name: 'A talk', turns: [turn] }

async function withProject(session: Session = createSession()) {
  const { id } = await session.svc.projects.create({ name: 'P' })
  const send = (more: Partial<TranscriptUpload> = {}) => session.svc.transcripts.upload(id, { ...upload, ...more })
  return { ...session, id, send }
}

describe('POST /projects/{projectId}/transcripts', () => {
  it('stores a transcript and answers its record', async () => {
    const { send, clock } = await withProject()
    const stored = await send({
      turns: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Where is it?' },
        { role: 'assistant', content: '', toolCalls: [{ name: 'find', args: { id: 7 } }] },
        { role: 'tool', content: 'here', toolResults: [{ name: 'find', result: ['here'] }] },
        { role: 'human_agent', content: 'Found.', createdAt: '2026-01-01T00:00:00Z', metadata: { shift: 2 } },
      ],
      modelName: 'm-1',
      language: 'en',
      sourceSystem: 'crm',
      externalId: 'e-1',
      externalUserId: 'u-1',
      metadata: { team: 'support' },
      sourceTimestamp: '2025-12-31T23:59:59Z',
    })
    expect(stored).toMatchObject({
      id: expect.stringMatching(/^tr_/),
      name: 'A talk',
      model_name: 'm-1',
      language: 'en',
      source_system: 'crm',
      external_id: 'e-1',
      external_user_id: 'u-1',
      metadata: { team: 'support' },
      turn_count: 5,
      user_turn_count: 1,
      assistant_turn_count: 1,
      total_token_count: expect.any(Number),
      created_at: new Date(clock.now()).toISOString(),
      processing_status: 'queued',
    })
    expect(Date.parse(stored.source_timestamp ?? '')).toBe(Date.parse('2025-12-31T23:59:59Z'))
  })

  it('answers null for what was not sent, and an empty metadata', async () => {
    const { send } = await withProject()
    expect(await send()).toMatchObject({
      model_name: null,
      language: null,
      source_system: null,
      external_id: null,
      external_user_id: null,
      source_timestamp: null,
      metadata: {},
    })
  })

  it('is queued, skipped without processing, and stored all the same when the job cannot be submitted', async () => {
    const { send } = await withProject()
    expect((await send()).processing_status).toBe('queued')
    expect((await send({ process: true })).processing_status).toBe('queued')
    expect((await send({ process: false })).processing_status).toBe('skipped')
    const broken = await withProject(createSession({ submit: () => false }))
    const stored = await broken.send()
    expect(stored.processing_status).toBe('error')
    expect((await broken.send({ process: false })).processing_status).toBe('skipped')
    expect((await broken.svc.transcripts.get(stored.id)).id).toBe(stored.id)
  })

  it('counts into its project', async () => {
    const { svc, id, send, clock } = await withProject()
    await clock.advance(5_000)
    const stored = await send()
    expect(await svc.projects.get(id)).toMatchObject({ transcript_count: 1, latest_transcript_at: stored.created_at })
  })

  it.each([
    ['name', 500],
    ['modelName', 100],
    ['language', 10],
    ['sourceSystem', 100],
    ['externalId', 500],
    ['externalUserId', 500],
  ])('takes a %s of at most %i characters', async (field, max) => {
    const { send } = await withProject()
    expect((await send({ [field]: '🙂'.repeat(max) })).id).toMatch(/^tr_/)
    const error = await refusal(send({ [field]: 'x'.repeat(max + 1) }))
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' })
    expect(error.detail).toContain(field)
  })

  it('takes 1 to 1000 turns', async () => {
    const { send } = await withProject()
    expect((await send({ turns: Array.from({ length: 1_000 }, () => turn) })).turn_count).toBe(1_000)
    expect(await refusal(send({ turns: [] }))).toMatchObject({ status: 400 })
    expect(await refusal(send({ turns: Array.from({ length: 1_001 }, () => turn) }))).toMatchObject({ status: 400 })
  })

  it('takes a turn of at most 2^20 bytes and a body of at most 5 * 2^20, else 413', async () => {
    const { send } = await withProject()
    const full = 'é'.repeat(2 ** 19)
    expect((await send({ turns: [{ role: 'user', content: full }] })).turn_count).toBe(1)
    const oneMore = await refusal(send({ turns: [{ role: 'user', content: `${full}x` }] }))
    expect(oneMore).toMatchObject({ status: 413, kind: 'too_large', type: 'invalid_request_error' })
    const six = Array.from({ length: 6 }, () => ({ role: 'user' as const, content: full }))
    expect(await refusal(send({ turns: six }))).toMatchObject({ status: 413, kind: 'too_large' })
  })

  it('refuses every violation at once, without repeating what was sent', async () => {
    const { send } = await withProject()
    const bad = {
      turns: [{ role: 'robot', content: 'my secret words' }, { role: 'user' }],
      metadata: [],
      process: 'yes',
    }
    const error = await refusal(send(bad as never))
    expect(error.status).toBe(400)
    for (const part of ['role', 'content', 'metadata', 'process']) expect(error.detail).toContain(part)
    expect(JSON.stringify(error.body)).not.toContain('secret')
  })

  it('refuses a project id of another form with 400, and an unknown project with 404', async () => {
    const { svc } = createSession()
    expect(await refusal(svc.transcripts.upload('hp-1', upload))).toMatchObject({ status: 400 })
    expect(await refusal(svc.transcripts.upload(unknownId, upload))).toMatchObject({ status: 404 })
  })

  it('refuses malformed JSON and other content types with 400', async () => {
    const { server, id } = await withProject()
    const url = `${server.publicBaseUrl}/projects/${id}/transcripts`
    const post = (body: string, type: string) =>
      server.fetch(
        new Request(url, {
          method: 'POST',
          body,
          headers: { 'content-type': type, authorization: 'Bearer sk-service-api03-reference' },
        }),
      )
    expect((await post('{"name":', 'application/json')).status).toBe(400)
    expect((await post(JSON.stringify(upload), 'text/plain')).status).toBe(400)
    expect((await post(JSON.stringify(upload), 'application/json; charset=utf-8')).status).toBe(201)
  })
})

describe('GET /transcripts/{transcriptId}', () => {
  it('gives the record with all turns as they were sent, and annotations', async () => {
    const { svc, send } = await withProject()
    const turns = [turn, { role: 'tool' as const, content: '', toolResults: [{ name: 'f', result: null }] }]
    const stored = await send({ turns })
    const read = await svc.transcripts.get(stored.id)
    expect(read).toMatchObject(stored)
    expect(read.turns).toEqual(turns)
    expect(read).toHaveProperty('annotations')
  })

  it('is 404 for an unknown id', async () => {
    const { svc } = createSession()
    expect(await refusal(svc.transcripts.get('tr_none'))).toMatchObject({ status: 404, type: 'not_found_error' })
  })
})

describe('GET /projects/{projectId}/transcripts', () => {
  async function withTalks() {
    const session = await withProject()
    const talks: Partial<TranscriptUpload>[] = [
      { name: 'A', modelName: 'm-1', language: 'en', sourceTimestamp: '2026-01-01T00:00:00Z' },
      { name: 'B', modelName: 'm-2', sourceSystem: 'crm', sourceTimestamp: '2026-01-02T12:00:00+02:00' },
      { name: 'C', turns: [{ role: 'assistant', content: 'STRASSE and Refund please' }] },
    ]
    for (const talk of talks) {
      await session.send(talk)
      await session.clock.advance(1_000)
    }
    const names = async (filters: Parameters<typeof session.svc.transcripts.list>[1]) =>
      (await session.svc.transcripts.list(session.id, filters)).data.map(({ name }) => name)
    return { ...session, names }
  }

  it('lists the newest first, in pages with a total, without turns', async () => {
    const { svc, id, names } = await withTalks()
    expect(await names({})).toEqual(['C', 'B', 'A'])
    expect(await names({ page: 2, limit: 2 })).toEqual(['A'])
    const { data, pagination } = await svc.transcripts.list(id, { limit: 1 })
    expect(pagination).toEqual({ page: 1, limit: 1, total: 3 })
    expect(data[0]).not.toHaveProperty('turns')
  })

  it('is walked to its end by all(), a hundred at a time, each transcript once', async () => {
    const { svc, server, id, send } = await withProject()
    for (let i = 0; i < 150; i++) await send({ name: `T${i}`, language: i < 120 ? 'en' : 'de' })
    const before = server.requests.length
    const names = new Set<unknown>()
    for await (const { name } of svc.transcripts.all(id, { language: 'en' })) names.add(name)
    expect(names.size).toBe(120)
    expect(server.requests.length - before).toBe(2)
  })

  it('filters by model, language, source system, and both at once', async () => {
    const { names } = await withTalks()
    expect(await names({ model_name: 'm-1' })).toEqual(['A'])
    expect(await names({ language: 'en' })).toEqual(['A'])
    expect(await names({ source_system: 'crm' })).toEqual(['B'])
    expect(await names({ source_system: 'crm', model_name: 'm-1' })).toEqual([])
  })

  it('searches the content for every term, in any case', async () => {
    const { names } = await withTalks()
    expect(await names({ q: 'refund' })).toEqual(['C'])
    expect(await names({ q: 'PLEASE  refund' })).toEqual(['C'])
    expect(await names({ q: 'refund missing' })).toEqual([])
    expect(await names({ q: '*' })).toEqual([])
  })

  it('filters by the time of the conversation, bounds included, and never finds one without a time', async () => {
    const { names } = await withTalks()
    expect(await names({ date_from: new Date('2026-01-01T00:00:00Z') })).toEqual(['B', 'A'])
    expect(await names({ date_from: '2026-01-02T10:00:00Z', date_to: '2026-01-02T10:00:00Z' })).toEqual(['B'])
    expect(await names({ date_to: '2026-01-01' })).toEqual(['A'])
    expect(await names({ date_to: '2026-01-02' })).toEqual(['B', 'A'])
  })

  it('refuses an annotation filter without a colon, and dates that are none', async () => {
    const { svc, id, names } = await withTalks()
    expect(await refusal(svc.transcripts.list(id, { annotation: 'nocolon' }))).toMatchObject({ status: 400 })
    expect(await refusal(svc.transcripts.list(id, { date_from: 'yesterday' }))).toMatchObject({ status: 400 })
    expect(await names({ annotation: 'key:value:more' })).toEqual([])
  })

  it('is 404 for an unknown project', async () => {
    const { svc } = createSession()
    expect(await refusal(svc.transcripts.list(unknownId))).toMatchObject({ status: 404 })
  })
})
