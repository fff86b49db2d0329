import { describe, expect, it } from 'vitest'
import { serviceError } from '../errors/index.js'
import type { Stored } from './match.js'
import { type LostWrite, type SearchedList, type SearchOptions, searchWrites } from './search.js'

const now = () => Date.parse('2026-01-01T00:00:10Z')
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i)

describe('the pages of a search', () => {
  /** Searches a list of `rows` rows for one that is not there, and returns the pages that were read. */
  async function pagesRead(rows: number, options: Omit<SearchOptions, 'clock'>, total = rows) {
    const fetched: number[] = []
    const list: SearchedList = {
      async page(page) {
        fetched.push(page)
        const data = upTo(rows)
          .slice((page - 1) * 100, page * 100)
          .map((i) => ({ id: `tr_${i}`, name: 'other', created_at: '2026-01-01T00:00:10Z' }))
        const body = { data, pagination: { page, limit: 100, total } }
        return { data: body, response: new Response(), requestId: undefined, attempts: [], ms: 0 }
      },
      read: async () => undefined,
    }
    const write = { fingerprint: { name: 'A' }, since: now(), ownRecordIds: new Set<string>() }
    const { complete } = await searchWrites(list, [write], { clock: { now }, ...options })
    return { fetched, complete }
  }

  it('a search reads the first page and the last two, which prove nothing', async () => {
    expect(await pagesRead(950, {})).toEqual({ fetched: [1, 9, 10], complete: false })
    expect(await pagesRead(150, {})).toEqual({ fetched: [1, 2], complete: false })
    expect(await pagesRead(3, {})).toEqual({ fetched: [1], complete: false })
  })

  it('a thorough search reads the list to its end', async () => {
    expect(await pagesRead(250, { isThorough: true })).toEqual({ fetched: [1, 2, 3], complete: true })
    expect(await pagesRead(3, { isThorough: true })).toEqual({ fetched: [1, 2], complete: true })
  })

  it('a thorough search reads the list twice if its total does not show that no row was removed', async () => {
    expect(await pagesRead(250, { isThorough: true }, 249)).toEqual({ fetched: [1, 2, 3, 1, 2, 3], complete: true })
  })

  it('a record that moves to an earlier page while the list is read is not taken for absent', async () => {
    const rows = upTo(25).map((i): Stored => ({ id: `tr_${i}`, name: i === 11 ? 'A' : 'other' }))
    const list: SearchedList = {
      async page(page) {
        const data = rows.slice((page - 1) * 10, page * 10)
        if (page === 1 && rows.length === 25) rows.shift()
        return { data: { data }, response: new Response(), requestId: undefined, attempts: [], ms: 0 }
      },
      read: async () => undefined,
    }
    const write = { fingerprint: { name: 'A' }, since: now(), ownRecordIds: new Set<string>() }
    const { found, complete } = await searchWrites(list, [write], { clock: { now }, isThorough: true })
    expect(complete).toBe(false)
    expect(found[0]?.candidates.map(({ id }) => id)).toEqual(['tr_11'])
  })

  it('a thorough search proves nothing if the list shows fewer rows than its total, or has too many pages', async () => {
    expect((await pagesRead(250, { isThorough: true }, 251)).complete).toBe(false)
    expect(await pagesRead(250, { isThorough: true, maxPages: 2 })).toEqual({ fetched: [1, 2], complete: false })
  })
})

describe('searchWrites()', () => {
  const since = now()
  const write = (name: string, more: Partial<LostWrite> = {}): LostWrite => ({
    fingerprint: { name },
    since,
    ownRecordIds: new Set(),
    ...more,
  })
  const created_at = new Date(since).toISOString()

  /** Searches a list of these rows; a single read shows the name `A`, or nothing for the id `deleted`. */
  async function searchRows(rows: Stored[], writes: LostWrite[], { isThorough = false, date = created_at } = {}) {
    const reads: string[] = []
    const list: SearchedList = {
      page: async (page) => ({
        data: { data: page === 1 ? rows : [], pagination: { page, limit: 1_000, total: rows.length } },
        response: new Response('', { headers: { date: new Date(date).toUTCString() } }),
        requestId: undefined,
        attempts: [],
        ms: 0,
      }),
      read: async (id) => {
        reads.push(id)
        return id === 'deleted' ? undefined : { name: 'A' }
      },
    }
    const { found, complete } = await searchWrites(list, writes, { clock: { now }, isThorough })
    const ids = found.map(({ records, candidates }) => [records, candidates].map((each) => each.map(({ id }) => id)))
    return { found: ids, complete, reads }
  }

  it('searchWrites() gives each write its own records, in order', async () => {
    const rows = ['B', 'A', 'C'].map((name) => ({ id: name, name, created_at }))
    const { found, complete, reads } = await searchRows(rows, [write('A'), write('B'), write('D')], {
      isThorough: true,
    })
    expect([found, complete, reads]).toEqual([
      [
        [['A'], []],
        [['B'], []],
        [[], []],
      ],
      true,
      [],
    ])
  })

  it.each([-60_000, 60_000])(
    "searchWrites() compares times by the service's clock, which is %i ms ahead",
    async (skewMs) => {
      const created = (ms: number) => new Date(since + skewMs + ms).toISOString()
      const rows = [
        { id: 'older', name: 'A', created_at: created(-1_000) },
        { id: 'same', name: 'A', created_at: created(0) },
      ]
      const { found } = await searchRows(rows, [write('A')], { date: created(0) })
      expect(found).toEqual([[['same'], []]])
    },
  )

  it('searchWrites() finds a record whose time lost its fraction of a second', async () => {
    const rows = [{ id: 'own', name: 'A', created_at: '2026-01-01T00:00:10Z' }]
    const { found } = await searchRows(rows, [write('A', { since: since + 900 })])
    expect(found).toEqual([[['own'], []]])
    const earlier = await searchRows(rows, [write('A', { since: since + 1_000 })])
    expect(earlier.found).toEqual([[[], ['own']]])
  })

  it('searchWrites() reads a single record only if its row lacks a field that decides', async () => {
    const rows = [
      { id: 'shown', name: 'A', created_at },
      { id: 'other', name: 'B', created_at },
      { id: 'hidden', created_at },
      { id: 'deleted', created_at },
    ]
    const { found, reads } = await searchRows(rows, [write('A')])
    expect([found, reads]).toEqual([[[['shown', 'hidden'], ['deleted']]], ['deleted', 'hidden']])
  })

  it.each([
    [false, 20],
    [true, 500],
  ])('searchWrites() reads a bounded number of single records (thorough: %s): %i', async (isThorough, bound) => {
    const rows = upTo(bound + 2).map((i) => ({ id: `tr_${i}`, created_at }))
    const { found, reads } = await searchRows(rows, [write('A')], { isThorough })
    const half = bound / 2
    const fromBothEnds = upTo(half).flatMap((i) => [`tr_${i}`, `tr_${bound + 1 - i}`])
    expect(reads).toEqual(fromBothEnds)
    expect(found[0]?.map((ids) => ids.length)).toEqual([bound, 2])
  })

  it('searchWrites() reads the newest of the rows that do not show what decides', async () => {
    const rows = upTo(30).map((i) => ({ id: `tr_${i}`, created_at: new Date(since + i * 1_000).toISOString() }))
    const { reads } = await searchRows(rows, [write('A')])
    expect(reads).toEqual(upTo(20).map((i) => `tr_${29 - i}`))
  })

  it('searchWrites() reads no other record for a write whose stamp a row shows', async () => {
    const svc = { key: '1'.repeat(32), occurrence: 1, write: 'a'.repeat(32) }
    const rows = [{ id: 'thin' }, { id: 'own', metadata: { svc } }]
    const { found, reads } = await searchRows(rows, [write('A', { stamp: svc, isOwnStamp: true })])
    expect([found[0]?.[0], reads]).toEqual([['own'], []])
  })

  it('searchWrites() reads the newest rows that show no stamp, whatever else they show', async () => {
    const svc = { key: '1'.repeat(32), occurrence: 1, write: 'a'.repeat(32) }
    const rows = upTo(90).map((i) => ({ id: `tr_${i}`, name: null, created_at: new Date(i * 1_000).toISOString() }))
    const reads: string[] = []
    const list: SearchedList = {
      page: async (page) => ({
        data: { data: page === 1 ? rows : [] },
        response: new Response(),
        requestId: undefined,
        attempts: [],
        ms: 0,
      }),
      async read(id) {
        reads.push(id)
        return id === 'tr_88' ? { metadata: { svc } } : {}
      },
    }
    const lost = write('A', { stamp: svc, isOwnStamp: true })
    const { found } = await searchWrites(list, [lost], { clock: { now }, isThorough: true })
    expect([found[0]?.records.map(({ id }) => id), reads]).toEqual([['tr_88'], ['tr_89', 'tr_88']])
  })

  describe('after a jump of the clock of the service', () => {
    const svc = { key: '1'.repeat(32), occurrence: 1, write: 'a'.repeat(32) }
    const rows = upTo(90).map((i) => ({ id: `tr_${i}`, name: i === 40 ? 'A' : 'B', created_at }))

    async function searchAfterJump(read: SearchedList['read']) {
      const list: SearchedList = {
        page: async (page) => ({
          data: { data: page === 1 ? rows : [], pagination: { page, limit: 100, total: rows.length } },
          response: new Response('', { headers: { date: new Date(since + 365 * 86_400_000).toUTCString() } }),
          requestId: undefined,
          attempts: [],
          ms: 0,
        }),
        read,
      }
      const lost = write('A', { stamp: svc, isOwnStamp: true })
      const { found } = await searchWrites(list, [lost], { clock: { now }, isThorough: true })
      return [found[0]?.records, found[0]?.candidates].map((each) => each?.map(({ id }) => id))
    }

    it('searchWrites() finds a record whose row differs from the write in its time alone', async () => {
      expect(await searchAfterJump(async (id) => ({ metadata: id === 'tr_40' ? { svc } : {} }))).toEqual([
        ['tr_40'],
        [],
      ])
    })

    it('searchWrites() does not count such a record as another one if it cannot be read', async () => {
      expect(await searchAfterJump(async (id) => (id === 'tr_40' ? undefined : {}))).toEqual([[], ['tr_40']])
    })

    it('searchWrites() counts such a record as another one if it has no stamp', async () => {
      expect(await searchAfterJump(async () => ({ metadata: {} }))).toEqual([[], []])
    })
  })

  it('searchWrites() goes on if a single record cannot be read', async () => {
    const refused = serviceError(
      { operation: 'o', surface: 'workspace', method: 'GET', url: '/', attempts: [] },
      500,
      {},
      undefined,
      undefined,
    ).error
    const list: SearchedList = {
      page: async () => ({
        data: { data: [{ id: 'broken' }, { id: 'own' }] },
        response: new Response('', { headers: { date: new Date(created_at).toUTCString() } }),
        requestId: undefined,
        attempts: [],
        ms: 0,
      }),
      read: async (id) => (id === 'own' ? { name: 'A', created_at } : Promise.reject(refused)),
    }
    const { found } = await searchWrites(list, [write('A')], { clock: { now } })
    expect(found[0]).toMatchObject({ records: [{ id: 'own' }], candidates: [{ id: 'broken' }] })
  })

  it('searchWrites() gives a record that looks a little older as a candidate only if no record matches', async () => {
    const older = (ms: number) => ({ id: `older`, name: 'A', created_at: new Date(since - ms).toISOString() })
    const found = async (...rows: Stored[]) => (await searchRows(rows, [write('A')])).found[0]
    expect(await found(older(599_000))).toEqual([[], ['older']])
    expect(await found(older(601_000))).toEqual([[], []])
    expect(await found(older(1_000), { id: 'same', name: 'A', created_at })).toEqual([['same'], []])
  })

  it('searchWrites() gives records with different content as candidates only if no record matches', async () => {
    const rows = ['altered', 'equal'].map((id) => ({ id, name: 'A', created_at }))
    const matchContent: LostWrite['matchContent'] = ({ id }) => (id === 'equal' ? 'yes' : 'altered')
    expect((await searchRows(rows, [write('A', { matchContent })])).found).toEqual([[['equal'], []]])
    expect((await searchRows(rows.slice(0, 1), [write('A', { matchContent })])).found).toEqual([[[], ['altered']]])
  })
})
