import { describe, expect, it } from 'vitest'
import { AmbiguousWriteError, ConnectionError } from '../../../packages/client/src/errors/index.js'
import {
  failureOf,
  json,
  networkError,
  project,
  type Scripted,
  scripted,
  upload,
} from '../../../packages/client/test/fixtures/scripted.js'

describe('a repeated call', () => {
  it('waits at least as long as Retry-After, and emits the wait', async () => {
    const { svc, clock, requests, events } = scripted([json({}, 429, { 'retry-after': '3' }), json(project)])
    clock.chance = 0.5
    const call = svc.projects.get('hp-1')
    await clock.advance(10_000)
    await call
    expect(requests.map(({ at }) => at)).toEqual([0, 3_300])
    expect(events.find(({ type }) => type === 'wait')).toMatchObject({ because: 'rate_limited', ms: 3_300 })
  })

  it("measures a Retry-After date on the server's clock", async () => {
    const dates = { date: 'Sat, 21 Nov 2026 10:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 10:00:02 GMT' }
    const { svc, clock, requests } = scripted([json({}, 503, dates), json(project)])
    const call = svc.projects.get('hp-1')
    await clock.advance(5_000)
    await call
    expect(requests.map(({ at }) => at)).toEqual([0, 2_000])
  })

  it('rejects at once with retryAt if the wait is too long', async () => {
    const { svc, clock, requests } = scripted([json({}, 429, { 'retry-after': '120' })])
    const error = await failureOf(svc.projects.get('hp-1'))
    expect(error).toMatchObject({ kind: 'rate_limited', retryAfterMs: 120_000 })
    expect(error.retryAt.getTime() - clock.now()).toBe(120_000)
    expect(requests).toHaveLength(1)
  })

  it('rejects at once when the wait does not fit the deadline', async () => {
    const { svc, requests, clock } = scripted([json({}, 429, { 'retry-after': '5' })])
    const error = await failureOf(svc.projects.get('hp-1', { deadlineMs: 4_000 }))
    expect(error).toMatchObject({ kind: 'rate_limited' })
    expect(requests).toHaveLength(1)
    expect(clock.pending).toEqual([])
  })

  it('sends the same bytes again', async () => {
    const { svc, clock, requests } = scripted([networkError('ECONNREFUSED'), json(project, 201)])
    const call = svc.transcripts.upload('hp-1', upload)
    await clock.advance(1_000)
    await call
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject(upload)
    expect(requests[1]?.body).toBe(requests[0]?.body)
  })

  it('never repeats a write that may be stored', async () => {
    const outcomes: Scripted[] = [
      json({}, 500),
      json({}, 502),
      json({}, 503),
      json({}, 504),
      networkError('ECONNRESET'),
    ]
    for (const outcome of outcomes) {
      const { svc, requests } = scripted([outcome])
      expect(await failureOf(svc.transcripts.upload('hp-1', upload))).toBeInstanceOf(AmbiguousWriteError)
      expect(requests).toHaveLength(1)
    }
    for (const verb of ['createSession', 'createTranscript'] as const) {
      const { svc, requests } = scripted([networkError('EPIPE')])
      expect(await failureOf(svc.legacy[verb]({}))).toBeInstanceOf(AmbiguousWriteError)
      expect(requests).toHaveLength(1)
    }
  })

  it('keeps its defaults for undefined options, and its back-off after a client without retry', async () => {
    const { svc, clock, requests } = scripted([1, 2, 3, 4].map(() => json({}, 503)))
    clock.chance = 0.5
    const bare = svc.with({ retry: false })
    const failed = failureOf(bare.projects.list({}, { retry: { attempts: 3, baseMs: undefined } as never }))
    await clock.advance(60_000)
    await failed
    expect(requests.map(({ at }) => at)).toEqual([0, 250, 750])
  })

  it('repeats a batch call only if the server was never reached', async () => {
    for (const verb of ['create', 'get'] as const) {
      for (const outcome of [json({}, 500), json({}, 503), networkError('ECONNRESET')]) {
        const { svc, requests } = scripted([outcome])
        expect(['ServiceError', 'ConnectionError']).toContain((await failureOf(svc.batches[verb]('b'))).name)
        expect(requests).toHaveLength(1)
      }
    }
  })

  it('gives up on an unreachable server, and reports that nothing was sent', async () => {
    const { svc, clock, requests } = scripted([1, 2, 3].map(() => networkError('ECONNREFUSED')))
    const failed = failureOf(svc.transcripts.upload('hp-1', upload))
    await clock.advance(60_000)
    const error = await failed
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({
      phase: 'connecting',
      timedOut: false,
      attempts: [{ sent: 'no' }, { sent: 'no' }, { sent: 'no' }],
    })
    expect(requests).toHaveLength(3)
  })

  it('never follows a rejected certificate', async () => {
    const { svc, requests } = scripted([networkError('CERT_HAS_EXPIRED')])
    expect(await failureOf(svc.projects.list())).toMatchObject({ phase: 'connecting' })
    expect(requests).toHaveLength(1)
  })
})
