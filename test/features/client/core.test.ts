import { describe, expect, it } from 'vitest'
import {
  createClient,
  type Parts,
  rateLimiting,
  reconciliation,
  validation,
} from '../../../packages/client/src/core.js'
import { AmbiguousWriteError, InputError } from '../../../packages/client/src/errors/index.js'
import {
  failureOf,
  json,
  networkError,
  project,
  type Scripted,
  scripted,
  upload,
} from '../../../packages/client/test/fixtures/scripted.js'

/** A client of `@svc/client/core` with some parts, whose fetch answers from a script. */
const withParts = (script: Scripted[], parts?: Parts) =>
  scripted(script, { reconcile: true, retry: { baseMs: 0 } }, (options) => createClient(options, parts))

describe('a client without parts', () => {
  it('sends an upload without a stamp, and rejects with an AmbiguousWriteError if its answer is lost', async () => {
    const { svc, requests } = withParts([networkError('ECONNRESET')])
    const error = await failureOf(svc.transcripts.upload('hp-1', upload))
    expect(error).toBeInstanceOf(AmbiguousWriteError)
    expect(error.fingerprint).toMatchObject({ name: upload.name, external_id: 'e1' })
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual([upload])
  })

  it('leaves the check of the input to the service', async () => {
    const { svc } = withParts([json({ error: { type: 'invalid_request_error' } }, 400)])
    expect(await failureOf(svc.projects.create({ name: '' }))).toMatchObject({ status: 400 })
  })

  it('waits for Retry-After after a 429, and knows no rate limit', async () => {
    const { svc, clock, requests } = withParts([json({}, 429, { 'retry-after': '7' }), json(project)])
    expect((await clock.until(svc.projects.get('hp-1'))).name).toBe('P')
    expect(requests[1]?.at).toBeGreaterThanOrEqual(7_000)
    expect(svc.rateLimits().workspace).toEqual({
      closedUntil: undefined,
      admitted: 0,
      quota: undefined,
      windowMs: undefined,
      shared: false,
    })
  })

  it('refuses an upload with once, because nothing can search for an earlier one', async () => {
    const { svc, requests } = withParts([])
    const timed = { ...upload, sourceTimestamp: '2026-01-01T00:00:00Z' }
    const error = await failureOf(svc.transcripts.upload('hp-1', timed, { once: 'a' }))
    expect([error.message, requests]).toEqual(['transcripts.upload: once needs its stamp in metadata.svc.', []])
  })

  it('keeps its parts in with()', async () => {
    const { svc } = withParts([json(project)])
    expect((await svc.with({ timeoutMs: 5 }).projects.get('hp-1')).name).toBe('P')
  })
})

describe('a part', () => {
  it('reconciliation stamps uploads and finds the record of a lost one', async () => {
    const stored: { metadata?: unknown } = {}
    const list = async () =>
      json({
        data: [{ id: 'tr_1', name: upload.name, created_at: new Date(8.64e14).toISOString(), ...stored }],
        pagination: { page: 1, limit: 100, total: 1 },
        processing_time_ms: 1,
      })
    const lost = async (request: Request) => {
      stored.metadata = ((await request.json()) as { metadata: unknown }).metadata
      throw networkError('ECONNRESET')
    }
    const { svc, clock } = withParts([lost, list], { reconciliation })
    expect((await clock.until(svc.transcripts.upload('hp-1', upload))).id).toBe('tr_1')
    expect(stored.metadata).toMatchObject({ svc: { occurrence: 1 } })
  })

  it('validation refuses an invalid input before anything is sent', async () => {
    const { svc, requests } = withParts([], { validation })
    expect(await failureOf(svc.projects.create({ name: '' }))).toBeInstanceOf(InputError)
    expect(requests).toEqual([])
  })

  it('rateLimiting makes all calls of the key wait after a 429', async () => {
    const { svc, clock, requests } = withParts([json({}, 429, { 'retry-after': '7' }), json(project), json(project)], {
      rateLimiting,
    })
    const first = svc.projects.get('hp-1')
    await clock.advance(1)
    const second = svc.projects.get('hp-1')
    await clock.advance(100)
    expect(requests).toHaveLength(1)
    await clock.until(Promise.all([first, second]))
    expect(svc.rateLimits().workspace.admitted).toBeGreaterThan(0)
  })
})
