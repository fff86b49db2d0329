import type { SvcClient } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { openLedger, rebuild, reconcile } from '../../../packages/bulk/src/ledger/index.js'
import { rowShapes } from '../../helpers/row-shapes.js'
import type { RequestHandler } from '../../helpers/session.js'
import { createUploads } from './uploads-kit.js'

type Uploads = Awaited<ReturnType<typeof createUploads>>

const settle = ({ svc, target, clock, ledger }: Uploads, client: Pick<SvcClient, 'transcripts'> = svc) =>
  clock.until(reconcile(ledger, ledger.unresolved(), { client, target, clock, call: () => ({}), timeoutMs: 60_000 }))

const results = async (settled: ReturnType<typeof settle>) => (await settled).map(({ item: _, ...rest }) => rest)

/** A client whose answers of a kind are changed on their way. */
function seeing({ client, fetch }: Uploads, path: RegExp, change: (body: never) => unknown, headers = {}): SvcClient {
  const changed: RequestHandler = async (request) => {
    const response = await fetch(request)
    if (!path.test(new URL(request.url).pathname)) return response
    return Response.json(change((await response.json()) as never), { status: response.status, headers })
  }
  return client({ fetch: changed })
}

const lists = /\/projects\/[^/]+\/transcripts$/
const reads = /\/transcripts\/tr_[^/]+$/
type List = { data: { metadata?: unknown }[]; pagination: { total: number } }
const withoutMetadata = (body: List) => ({ ...body, data: body.data.map(({ metadata: _, ...row }) => row) })

describe('an upload with an unknown result', () => {
  it('an upload with an unknown result is done where its stamp is found', async () => {
    const uploads = await createUploads()
    const item = await uploads.intend('a')
    await uploads.send('b', await uploads.intend('b', { name: 'other' }))
    const id = await uploads.send('a', item)
    expect(await results(settle(uploads))).toContainEqual({ result: 'done', id, status: 'queued' })
    expect(uploads.ledger.stateOf(item)).toEqual({ state: 'done', id, by: 'key' })
    expect(uploads.clock.pending).toEqual([])
  })

  it('an upload with an unknown result is known to be unsent only when it can no longer come', async () => {
    const uploads = await createUploads()
    const item = await uploads.intend('a')
    const { clock, ledger } = uploads
    await clock.advance(20_000)
    const startedAt = clock.now()
    expect(await results(settle(uploads))).toEqual([{ result: 'unsent' }])
    expect(clock.now() - startedAt).toBe(55_000)
    expect(ledger.stateOf(item)).toEqual({ state: 'unsent' })
  })

  it('an upload with an unknown result is found when it comes while it is waited for', async () => {
    const uploads = await createUploads()
    const item = await uploads.intend('a')
    const settled = results(settle(uploads))
    const id = await uploads.send('a', item)
    expect(await settled).toEqual([{ result: 'done', id, status: 'queued' }])
  })

  it('stays open with --max-wait too short to wait for it', async () => {
    const uploads = await createUploads()
    const { clock, ledger, svc: client, target } = uploads
    const item = await uploads.intend('a')
    const until = clock.now() + 75_000
    const options = { client, target, clock, call: () => ({}), timeoutMs: 60_000, waitMs: 0 }
    expect(await reconcile(ledger, ledger.unresolved(), options)).toMatchObject([{ result: 'open', until }])
    expect(ledger.stateOf(item)?.state).toBe('open')
    await clock.advance(75_000)
    expect(await reconcile(ledger, ledger.unresolved(), options)).toMatchObject([{ result: 'unsent' }])
  })

  it('an upload with an unknown result is waited for as long as its own attempt may take, not until a date in the future', async () => {
    const uploads = await createUploads()
    await uploads.intend('a', { timeoutMs: 600_000 })
    const { clock, ledger, target } = uploads
    const startedAt = clock.now()
    const past = { ...clock, now: () => clock.now() - 3_600_000 }
    const options = { client: uploads.svc, target, clock: past, call: () => ({}), timeoutMs: 60_000 }
    expect(await clock.until(reconcile(ledger, ledger.unresolved(), options))).toMatchObject([{ result: 'unsent' }])
    expect(clock.now() - startedAt).toBe(615_000)
  })

  it('stays unknown if its stamp is found twice, or if the key cannot read', async () => {
    const uploads = await createUploads()
    const item = await uploads.intend('a')
    const ids = [await uploads.send('a', item), await uploads.send('a', item)]
    const [found] = await settle(uploads)
    expect(found).toMatchObject({ result: 'unknown', candidates: expect.arrayContaining(ids) })
    const denied: RequestHandler = async () =>
      Response.json({ error: { message: 'no', type: 'authorization_error', code: 403 } }, { status: 403 })
    const [unseen] = await settle(uploads, uploads.client({ fetch: denied }))
    expect(unseen).toMatchObject({ result: 'unknown', candidates: expect.arrayContaining(ids) })
    expect(uploads.ledger.unresolved()).toMatchObject([{ state: 'unknown', key: item.key }])
  })

  it('an upload with an unknown result is read singly where the list does not show its stamp, and unknown where nothing does', async () => {
    const uploads = await createUploads()
    const item = await uploads.intend('a')
    const id = await uploads.send('a', item)
    const nowhere = seeing(uploads, /transcripts/, (body: List | { data: object }) =>
      Array.isArray(body.data)
        ? withoutMetadata(body as List)
        : { ...body, data: { ...body.data, metadata: undefined } },
    )
    expect(await results(settle(uploads, nowhere))).toEqual([{ result: 'unknown', candidates: [id] }])
    expect(await results(settle(uploads, seeing(uploads, lists, withoutMetadata)))).toMatchObject([
      { result: 'done', id },
    ])
  })

  it.each(Object.keys(rowShapes))('is read singly where rows show as metadata: %s', async (shape) => {
    const uploads = await createUploads()
    const id = await uploads.send('a', await uploads.intend('a'))
    const hidden = ({ data, ...rest }: List) => ({
      data: data.map((row) => ({ ...row, metadata: rowShapes[shape]?.(row.metadata as object) })),
      ...rest,
    })
    const client = seeing(uploads, lists, hidden)
    expect(await results(settle(uploads, client))).toEqual([{ result: 'done', id, status: 'queued' }])
    const rebuilt = await rebuild(uploads.ledger, uploads.project, { client, call: () => ({}) })
    expect(rebuilt).toEqual({ seen: 1, stamped: 1, added: 0, copies: 0, unidentified: 0, ambiguous: 0, complete: true })
  })

  it('stays unknown if the list is shorter than its total, because the record may be in the rest', async () => {
    const uploads = await createUploads()
    await uploads.send('b', await uploads.intend('a'))
    await uploads.clock.advance(100_000)
    const short = seeing(uploads, lists, (body: List) => ({ data: [], pagination: { ...body.pagination, total: 5 } }))
    expect(await results(settle(uploads, short))).toEqual([{ result: 'unknown', candidates: [] }])
  })

  it('an upload with an unknown result is found at an end of the list without reading the rest', async () => {
    const uploads = await createUploads()
    const { server, project } = uploads
    const of = server.world.project(project) ?? expect.unreachable()
    for (let i = 0; i < 450; i++)
      server.world.createTranscript(of, { name: `old ${i}`, turns: [{ role: 'user', content: 'x' }] })
    await uploads.clock.advance(3_600_000)
    const id = await uploads.send('a', await uploads.intend('a'))
    let pages = 0
    const client = seeing(uploads, lists, (body: object) => ({ ...body, page: pages++ }))
    expect(await results(settle(uploads, client))).toMatchObject([{ result: 'done', id }])
    expect(pages).toBe(1)
  })
})

describe('an upload without a stamp and with an unknown result', () => {
  const unstamped = { stamped: false } as const

  it('an upload without a stamp and with an unknown result is done where one record since then is the same, to the words', async () => {
    const uploads = await createUploads()
    const older = await uploads.intend('a', unstamped)
    await uploads.send('a', older)
    uploads.ledger.close(older.key, { event: 'unsent' })
    await uploads.clock.advance(3_600_000)
    const item = await uploads.intend('a', { ...unstamped, externalId: 'x' })
    const id = await uploads.send('a', item)
    expect(await results(settle(uploads))).toMatchObject([{ result: 'done', id }])
  })

  it('an upload without a stamp is unsent if there is only an older one, one of another name or a record of another upload', async () => {
    const uploads = await createUploads()
    const equal = await uploads.intend('a', { ...unstamped, occurrence: 2 })
    const id = await uploads.send('a', equal)
    await uploads.clock.advance(3_600_000)
    uploads.ledger.close(equal.key, { event: 'done', id: await uploads.send('a', equal) })
    uploads.ledger.close((await uploads.intend('c')).key, { event: 'done', id })
    await uploads.send('a', { ...equal, name: 'other' })
    const item = await uploads.intend('a', unstamped)
    expect(await results(settle(uploads))).toEqual([{ result: 'unsent' }])
    expect(uploads.ledger.stateOf(item)).toEqual({ state: 'unsent' })
  })

  it('stays unknown if several records match, or if one has different content', async () => {
    const uploads = await createUploads()
    const item = await uploads.intend('a', unstamped)
    const ids = [await uploads.send('other', item)]
    expect(await results(settle(uploads))).toEqual([{ result: 'unknown', candidates: ids }])
    const same = [await uploads.send('a', item), await uploads.send('a', item)]
    expect(await results(settle(uploads))).toEqual([{ result: 'unknown', candidates: expect.arrayContaining(same) }])
  })

  it('is unsent once the records that could be it are gone', async () => {
    const uploads = await createUploads()
    const item = await uploads.intend('a', unstamped)
    await uploads.send('other', item)
    expect((await results(settle(uploads))).map(({ result }) => result)).toEqual(['unknown'])
    const none = seeing(uploads, lists, () => ({ data: [], pagination: { page: 1, limit: 100, total: 0 } }))
    expect(await results(settle(uploads, none))).toEqual([{ result: 'unsent' }])
  })

  it('an upload without a stamp and with an unknown result is found with its equals where the service holds as many records', async () => {
    const uploads = await createUploads()
    const equals = [await uploads.intend('a', unstamped), await uploads.intend('a', { ...unstamped, occurrence: 2 })]
    for (const equal of equals) await uploads.send('a', equal)
    expect((await results(settle(uploads))).map(({ result }) => result)).toEqual(['done', 'done'])
    expect(new Set(equals.map((equal) => JSON.stringify(uploads.ledger.stateOf(equal)))).size).toBe(2)
  })

  it('an upload without a stamp and with an unknown result is unknown where a single read does not show the turns', async () => {
    const uploads = await createUploads()
    const id = await uploads.send('a', await uploads.intend('a', unstamped))
    const turnless = seeing(uploads, reads, ({ data }: { data: object }) => ({ data: { ...data, turns: undefined } }))
    expect(await results(settle(uploads, turnless))).toEqual([{ result: 'unknown', candidates: [id] }])
  })
})

describe('a ledger that was lost', () => {
  it('a ledger that was lost comes back from the stamps at the service', async () => {
    const uploads = await createUploads()
    const items = await Promise.all(['a', 'b'].map((words) => uploads.intend(words)))
    const ids = [
      await uploads.send('a', items[0] ?? expect.unreachable()),
      await uploads.send('b', items[1] ?? expect.unreachable()),
    ]
    await uploads.send('c', { ...(await uploads.intend('c')), stamped: false })
    const { target, clock, project, svc: client } = uploads
    const folder = `${uploads.folder}/other`
    for (const added of [2, 0]) {
      const ledger = await openLedger({ folder, target, clock })
      const rebuilt = await rebuild(ledger, project, {
        client: added ? client : seeing(uploads, lists, withoutMetadata),
        call: () => ({}),
      })
      expect(rebuilt).toEqual({ seen: 3, stamped: 2, added, copies: 0, unidentified: 0, ambiguous: 0, complete: true })
      await ledger.release()
    }
    const ledger = await openLedger({ folder, target, clock })
    expect(items.map((item) => ledger.stateOf(item))).toEqual(ids.map((id) => ({ state: 'done', id, by: 'key' })))
    await ledger.release()
  })

  it('notes a record that cannot be read as one without a stamp', async () => {
    const uploads = await createUploads()
    const { project, ledger } = uploads
    await uploads.send('a', await uploads.intend('a'))
    const deleting: RequestHandler = async (request) =>
      reads.test(new URL(request.url).pathname)
        ? Response.json({ error: 'Not found' }, { status: 404 })
        : uploads.fetch(request)
    const client = seeing({ ...uploads, fetch: deleting }, lists, withoutMetadata)
    const rebuilt = await rebuild(ledger, project, { client, call: () => ({}) })
    expect(rebuilt).toEqual({ seen: 1, stamped: 0, added: 0, copies: 0, unidentified: 1, ambiguous: 1, complete: true })
  })
})
