import { describe, expect, it } from 'vitest'
import { failureOf, json, scripted, upload } from '../../../packages/client/test/fixtures/scripted.js'

describe('time', () => {
  const stalled = () => new Response(new ReadableStream({ start() {} }), { status: 200 })

  it('runs out for an attempt without an answer', async () => {
    const { svc, clock, requests } = scripted(['never'])
    const failed = failureOf(svc.projects.list({}, { timeoutMs: 300, retry: false }))
    await clock.advance(300)
    expect(await failed).toMatchObject({ name: 'ConnectionError', timedOut: true, phase: 'waiting' })
    expect(requests).toHaveLength(1)
  })

  it('runs out for a body that stalls', async () => {
    const { svc, clock } = scripted([stalled()])
    const failed = failureOf(svc.projects.list({}, { timeoutMs: 300, retry: false }))
    await clock.advance(300)
    expect(await failed).toMatchObject({ name: 'ConnectionError', timedOut: true, phase: 'reading' })
  })

  it('runs out for the body of a refusal, which stays a refusal, also of a write', async () => {
    const { svc, clock } = scripted([new Response(stalled().body, { status: 401 })])
    const failed = failureOf(svc.transcripts.upload('hp-1', upload, { timeoutMs: 300 }))
    await clock.advance(300)
    expect(await failed).toMatchObject({
      name: 'ServiceError',
      kind: 'authentication',
      attempts: [{ status: 401, sent: 'yes' }],
    })
  })

  it('time that runs out for the body of a 5xx is recorded with its status', async () => {
    const { svc, clock } = scripted([new Response(stalled().body, { status: 503 })])
    const failed = failureOf(svc.projects.list({}, { timeoutMs: 300, retry: false }))
    await clock.advance(300)
    expect(await failed).toMatchObject({
      name: 'ConnectionError',
      attempts: [{ status: 503, cause: 'time-out', sent: 'yes' }],
    })
  })

  it('does not run out while nothing is sent', async () => {
    let release = (_: string) => {}
    const slowKey = () =>
      new Promise<string>((resolve) => {
        release = resolve
      })
    const { svc, clock, requests } = scripted([], { apiKey: slowKey })
    const failed = failureOf(svc.transcripts.upload('hp-1', upload, { deadlineMs: 50 }))
    await clock.advance(50)
    expect(await failed).toMatchObject({ name: 'InputError', reason: 'invalid_key' })
    release('late')
    expect(requests).toHaveLength(0)
    expect(clock.pending).toEqual([])
  })

  it.each([
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { deadlineMs: -1 },
    { retry: { attempts: 0 } },
    { retry: { baseMs: Number.NaN } },
  ])('time that makes no sense is refused before anything is sent: %j', async (options) => {
    const { svc, requests } = scripted([])
    expect(await failureOf(svc.transcripts.upload('hp-1', upload, options))).toMatchObject({ reason: 'invalid_input' })
    expect(requests).toHaveLength(0)
  })

  it('time that runs out on a write leaves it ambiguous', async () => {
    const { svc, clock, requests } = scripted(['never'])
    const failed = failureOf(svc.projects.create({ name: 'P' }))
    await clock.advance(60_000)
    expect(await failed).toMatchObject({ name: 'AmbiguousWriteError', fingerprint: { name: 'P' } })
    expect(requests).toHaveLength(1)
  })

  it('time is longer for an annotation, and can be set by the caller', async () => {
    const { svc, clock } = scripted(['never', 'never'])
    const slow = svc.annotations.create({ annotator: 'a', transcript: [] }).catch(() => {})
    await clock.advance(0)
    expect(clock.pending).toEqual([240_000])
    const quick = svc
      .with({ timeoutMs: 5 })
      .annotations.create({ annotator: 'a', transcript: [] })
      .catch(() => {})
    await clock.advance(0)
    expect(clock.pending).toEqual([5, 240_000])
    await clock.advance(240_000)
    await Promise.all([slow, quick])
  })

  it('runs out for the whole call, retries included', async () => {
    const { svc, clock } = scripted([json({}, 503), 'never'])
    const failed = failureOf(svc.projects.list({}, { deadlineMs: 1_000 }))
    await clock.advance(1_000)
    expect(await failed).toMatchObject({ name: 'ConnectionError', timedOut: true })
    expect(clock.pending).toEqual([])
  })
})
