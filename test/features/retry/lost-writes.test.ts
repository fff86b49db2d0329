import { describe, expect, it } from 'vitest'
import { AmbiguousWriteError } from '../../../packages/client/src/errors/index.js'
import { failureOf, json, networkError, scripted, upload } from '../../../packages/client/test/fixtures/scripted.js'

const posted = (requests: readonly { method: string }[]) => requests.filter(({ method }) => method === 'POST').length
const emptyList = () => json({ data: [], pagination: { page: 1, limit: 100, total: 0 }, processing_time_ms: 1 })

describe('a write whose outcome is unknown', () => {
  it('is sent as often as the policy says in all, before and after it was searched for', async () => {
    const refused = networkError('ECONNREFUSED')
    const lost = networkError('ECONNRESET')
    const { svc, clock, requests } = scripted([refused, lost, emptyList(), emptyList(), refused, refused, refused], {
      reconcile: true,
      retry: { attempts: 3 },
    })
    const call = failureOf(svc.transcripts.upload('hp-1', upload))
    await clock.advance(200_000)
    await call
    expect(posted(requests)).toBe(3)
  })

  it('is not searched for any more if the service asks for a wait that is too long, also at a single record', async () => {
    const row = { id: 'tr_1', name: upload.name, turn_count: 1, external_id: 'e1', source_timestamp: null }
    const rows = () => json({ data: [row], pagination: { page: 1, limit: 100, total: 1 }, processing_time_ms: 1 })
    const busy = json({}, 503, { 'retry-after': '200' })
    const { svc, clock, requests } = scripted([networkError('ECONNRESET'), rows(), busy], { reconcile: true })
    const call = failureOf(svc.transcripts.upload('hp-1', upload))
    await clock.advance(200_000)
    expect(await call).toBeInstanceOf(AmbiguousWriteError)
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET'])
  })

  it('tells of an abort once, and only if the call rejects with its reason', async () => {
    const stop = new AbortController()
    const { svc, clock, events } = scripted([json({}, 503)], { reconcile: true })
    const onEvent = ({ type }: { type: string }) => type === 'response' && stop.abort('enough')
    const call = failureOf(svc.transcripts.upload('hp-1', upload, { signal: stop.signal, onEvent }))
    await clock.advance(0)
    expect(await call).toBe('enough')
    const own = events.filter(({ type, operation }) => type === 'aborted' && operation === 'transcripts.upload')
    expect(own).toHaveLength(1)

    const other = new AbortController()
    const read = scripted([json({}, 404)])
    const abort = ({ type }: { type: string }) => type === 'response' && other.abort('enough')
    const failed = failureOf(read.svc.projects.get('hp-1', { signal: other.signal, onEvent: abort }))
    expect(await failed).toMatchObject({ status: 404 })
    expect(read.events.map(({ type }) => type)).not.toContain('aborted')
  })
})
