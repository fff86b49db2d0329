import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../../packages/client/src/create-client.js'
import { InputError } from '../../../packages/client/src/errors/index.js'
import { failureOf, json, project, scripted, upload } from '../../../packages/client/test/fixtures/scripted.js'

describe('a request', () => {
  it('carries the key as a bearer token and does not follow redirects', async () => {
    const { svc, requests } = scripted([json(project)])
    await svc.projects.get('hp-1')
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer sk-service-api03-secret')
    expect(requests[0]?.headers.get('user-agent')).toMatch(/^svc-client\/\d/)
    expect(requests[0]?.redirect).toBe('manual')
    expect(requests[0]?.url).toBe('https://svc.test/public/api/v1/projects/hp-1')
  })

  it('sends no key for /health, and an optional key for the annotator list', async () => {
    const health = json({ status: 'ok', substrate: 'lambda' })
    const withKey = scripted([health.clone(), json({ annotators: [] })])
    await withKey.svc.health()
    await withKey.svc.annotators.list()
    expect(withKey.requests.map(({ headers }) => headers.has('authorization'))).toEqual([false, true])
    const without = scripted([health.clone(), json({ annotators: [] })], { apiKey: '' })
    await without.svc.health()
    await without.svc.annotators.list()
    expect(without.requests.map(({ headers }) => headers.has('authorization'))).toEqual([false, false])
  })

  it("carries the caller's headers, and the caller's authorization instead of the key", async () => {
    const { svc, requests } = scripted([json(project), json(project)])
    await svc.projects.get('hp-1', { headers: { 'x-trace': 't-1' } })
    await svc.with({ headers: { Authorization: 'Bearer mine' } }).projects.get('hp-1')
    expect(requests[0]?.headers.get('x-trace')).toBe('t-1')
    expect(requests[1]?.headers.get('authorization')).toBe('Bearer mine')
  })

  it('merges headers ignoring case; undefined keeps one, null removes it', async () => {
    const { svc, requests } = scripted([json(project), json(project), json(project)], { headers: { 'X-T': '1' } })
    const derived = svc.with({ headers: { 'x-t': '2', 'x-kept': 'k' } })
    await derived.projects.get('hp-1', { headers: { 'X-T': '3', 'x-kept': undefined } })
    await derived.projects.get('hp-1', { headers: { 'x-T': null } })
    expect(requests[0]?.headers.get('x-t')).toBe('3')
    expect(requests[0]?.headers.get('x-kept')).toBe('k')
    expect(requests[1]?.headers.has('x-t')).toBe(false)
  })

  it('a request is refused when a key or a header cannot be sent, without showing it', async () => {
    const { svc, requests } = scripted([], { apiKey: 'sk-two words' })
    const key = await failureOf(svc.projects.list())
    expect(key).toMatchObject({ name: 'InputError', reason: 'invalid_key' })
    const header = await failureOf(svc.projects.list({}, { headers: { authorization: 'Bearer sk-secret\u0000' } }))
    expect(header).toMatchObject({ name: 'InputError', reason: 'invalid_input' })
    expect(inspect([key, header])).not.toMatch(/two words|sk-secret/)
    expect(await failureOf(scripted([], { apiKey: '"sk-quoted"' }).svc.projects.list())).toMatchObject({
      reason: 'invalid_key',
    })
    const failing = scripted([], {
      apiKey: () => {
        throw new Error('vault')
      },
    })
    expect(await failureOf(failing.svc.projects.list())).toMatchObject({
      reason: 'invalid_key',
      cause: { message: 'vault' },
    })
    expect(requests).toHaveLength(0)
  })

  it('carries a trimmed key', async () => {
    const { svc, requests } = scripted([json(project)], { apiKey: ' k \n' })
    await svc.projects.get('hp-1')
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer k')
  })

  it('calls the key function for each attempt', async () => {
    let issued = 0
    const { svc, clock, requests } = scripted([json({}, 503), json(project)], { apiKey: async () => `key-${++issued}` })
    const call = svc.projects.get('hp-1')
    await clock.advance(8_000)
    await call
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer key-1', 'Bearer key-2'])
  })

  it('a request has percent-encoded ids, and is refused if an id would change the path', async () => {
    const { svc, requests } = scripted([json(project)])
    await svc.projects.get('a/../b?c#d%')
    expect(requests[0]?.url).toBe('https://svc.test/public/api/v1/projects/a%2F..%2Fb%3Fc%23d%25')
    for (const id of ['', '.', '..', undefined as unknown as string]) {
      expect(await failureOf(svc.projects.get(id))).toMatchObject({ name: 'InputError', reason: 'invalid_id' })
      expect(await failureOf(svc.batches.get(id))).toBeInstanceOf(InputError)
      expect(await failureOf(svc.transcripts.get(id))).toBeInstanceOf(InputError)
      expect(await failureOf(svc.transcripts.upload(id, upload))).toBeInstanceOf(InputError)
      expect(await failureOf(svc.transcripts.list(id))).toBeInstanceOf(InputError)
    }
    expect(requests).toHaveLength(1)
  })

  it('sends dates as ISO 8601, in queries and in uploads', async () => {
    const { svc, requests } = scripted([json({ data: [], processing_time_ms: 1 }), json(project, 201)])
    const date = new Date('2026-01-02T03:04:05.678Z')
    await svc.transcripts.list('hp-1', { date_from: date, q: 'a b' })
    await svc.transcripts.upload('hp-1', { ...upload, sourceTimestamp: date })
    expect(new URL(requests[0]?.url ?? '').searchParams.get('date_from')).toBe('2026-01-02T03:04:05.678Z')
    expect(JSON.parse(requests[1]?.body ?? '')).toMatchObject({ sourceTimestamp: '2026-01-02T03:04:05.678Z' })
    expect(await failureOf(svc.transcripts.list('hp-1', { date_to: new Date('x') }))).toBeInstanceOf(InputError)
  })

  it('a request is not sent without the base URL or the key that it needs', async () => {
    const { svc, requests } = scripted([], { apiKey: '' })
    expect(await failureOf(svc.projects.list())).toMatchObject({ reason: 'missing_key' })
    expect(await failureOf(svc.annotations.create({ annotator: 'a', transcript: [] }))).toMatchObject({
      reason: 'missing_key',
    })
    const noBase = createClient({ apiKey: 'k', environment: {}, fetch: async () => expect.unreachable() })
    expect(await failureOf(noBase.health())).toMatchObject({ reason: 'missing_base_url' })
    expect(requests).toHaveLength(0)
  })
})
