import { describe, expect, it } from 'vitest'
import type { Answered } from '../http/answer.js'
import type { Stored } from './match.js'
import { type LostWrite, recentRows, type SearchedList, searchWrites } from './search.js'

const now = () => Date.parse('2026-01-01T00:00:10Z')
const at = (second: number) => ({ id: `tr_${second}`, created_at: new Date(second * 1_000).toISOString() })

/** A list in pages of 100 rows, created at `seconds`, and the pages that were fetched. */
function listOf(seconds: number[], { paginated = true, date = 'Thu, 01 Jan 2026 00:00:10 GMT' } = {}) {
  const fetched: number[] = []
  const fetchPage = async (
    page: number,
  ): Promise<Answered<{ data: { id: string }[]; pagination?: { limit: number; total: number } }>> => {
    fetched.push(page)
    const data = seconds.slice((page - 1) * 100, page * 100).map(at)
    const body = { data, ...(paginated && { pagination: { limit: 100, total: seconds.length } }) }
    const headers = date === '' ? {} : { date }
    return { data: body, response: new Response('', { headers }), requestId: undefined, attempts: [], ms: 0 }
  }
  return { fetched, fetchPage }
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i)

/** Searches for rows created since `since`, in seconds, with a clock equal to the service's. */
const search = (list: ReturnType<typeof listOf>, since: number) =>
  recentRows(list.fetchPage, { now }, since * 1_000, false, () => true)
const sorted = (pages: number[]) => pages.sort((a, b) => a - b)

describe('a search of a list', () => {
  it('a search reads the first and the last two pages', async () => {
    const list = listOf(upTo(950))
    const { rows, complete } = await search(list, 940)
    expect([rows.length, complete, sorted(list.fetched)]).toEqual([250, true, [1, 9, 10]])
  })

  it('a search is complete if the whole list was read, or if it is ordered by time', async () => {
    const mixed = upTo(950).map((i) => (i * 7) % 950)
    expect((await search(listOf(mixed.slice(0, 290)), 0)).complete).toBe(true)
    expect((await search(listOf(upTo(950).reverse()), 900)).complete).toBe(true)
    expect((await search(listOf(mixed), 900)).complete).toBe(false)
  })

  it('a search reads on from the newest end past the records of other writers', async () => {
    const down = listOf(upTo(950).reverse())
    expect([(await search(down, 700)).complete, sorted(down.fetched)]).toEqual([true, [1, 2, 3, 9, 10]])
    const up = listOf(upTo(950))
    expect([(await search(up, 700)).complete, sorted(up.fetched)]).toEqual([true, [1, 7, 8, 9, 10]])
    const all = listOf(upTo(950).reverse())
    expect([(await search(all, 0)).rows.length, all.fetched.length]).toEqual([950, 10])
    expect((await search(listOf(upTo(3_000).reverse()), 0)).complete).toBe(false)
  })

  it("a search is incomplete if the service's time is unknown", async () => {
    expect((await search(listOf(upTo(3_000).reverse(), { date: '' }), 2_990)).complete).toBe(false)
    expect((await search(listOf(upTo(950).reverse(), { date: '' }), 940)).complete).toBe(true)
  })

  it('a search reads only the first pages of a list without pagination that is ordered from the newest', async () => {
    const list = listOf(upTo(950).reverse(), { paginated: false })
    expect([(await search(list, 900)).complete, list.fetched]).toEqual([true, [1]])
    const longer = listOf(upTo(950).reverse(), { paginated: false })
    expect([(await search(longer, 800)).complete, longer.fetched]).toEqual([true, [1, 2]])
  })

  it('a search reads any other list without pagination until a page brings no new row', async () => {
    for (const seconds of [[3, 1, 2], upTo(250), upTo(100).map((i) => (i * 7) % 100)]) {
      const { rows, complete } = await search(listOf(seconds, { paginated: false }), 0)
      expect([rows.length, complete]).toEqual([seconds.length, true])
    }
    expect((await search(listOf(upTo(2_500), { paginated: false }), 0)).complete).toBe(false)
  })

  it('a search computes the clock skew from the Date header', async () => {
    expect((await search(listOf([1], { date: 'Thu, 01 Jan 2026 00:00:07 GMT' }), 0)).skewMs).toBe(-3_000)
    expect((await search(listOf([1], { date: '' }), 0)).skewMs).toBeNaN()
  })
})

describe('recentRows() of a list that changes or lacks rows', () => {
  /** A list of these pages. `totals` has the total of each answer in turn, the last one for all that follow. */
  function pagesOf(pages: { id: string; created_at: string }[][], limit: number, totals: number[]) {
    const fetched: number[] = []
    const fetchPage: SearchedList['page'] = async (page) => {
      const total = totals[Math.min(fetched.length, totals.length - 1)] as number
      fetched.push(page)
      const response = new Response('', { headers: { date: 'Thu, 01 Jan 2026 00:00:10 GMT' } })
      const data = { data: pages[page - 1] ?? [], pagination: { page, limit, total } }
      return { data, response, requestId: undefined, attempts: [], ms: 0 }
    }
    const search = (isThorough = false) => recentRows(fetchPage, { now }, 0, isThorough, () => true)
    return { fetched, search }
  }
  const descending = (rows: number, limit: number) =>
    Array.from({ length: rows / limit }, (_, page) =>
      Array.from({ length: limit }, (_, i) => at(rows - page * limit - i)),
    )

  it.each<[string, boolean, number[]]>([
    ['newest first', false, [1, 4, 5, 2, 3]],
    ['oldest first', false, [1, 4, 5, 3, 2]],
    ['newest first', true, [1, 4, 5, 2, 3, 4]],
    ['oldest first', true, [1, 4, 5, 3, 2]],
  ])(
    'a search reads every page and is incomplete if a row is missing: %s, thorough: %s',
    async (order, isThorough, read) => {
      const pages = descending(50, 10)
      pages[2]?.splice(4, 1)
      if (order === 'oldest first') for (const page of pages.reverse()) page.reverse()
      const { fetched, search } = pagesOf(pages, 10, [50])
      const { rows, complete } = await search(isThorough)
      expect([rows.length, complete, fetched]).toEqual([49, false, read])
    },
  )

  it('a search is incomplete if the list got shorter, and complete if it got longer', async () => {
    expect((await pagesOf(descending(50, 10), 10, [52, 50]).search()).complete).toBe(false)
    expect((await pagesOf(descending(50, 10), 10, [52, 50, 53]).search()).complete).toBe(false)
    expect((await pagesOf(descending(50, 10), 10, [48, 50]).search()).complete).toBe(true)
  })

  it('a search computes the last page from the limit of the answer', async () => {
    const { fetched, search } = pagesOf(descending(50, 25), 25, [50])
    expect([(await search()).complete, fetched]).toEqual([true, [1, 2]])
  })

  it('a thorough search of a list without order reads on until a page has no new row', async () => {
    const mixed = upTo(60).map((i) => at((i * 7) % 60))
    const pages = Array.from({ length: 6 }, (_, page) => mixed.slice(page * 10, page * 10 + 10))
    const { fetched, search } = pagesOf(pages, 10, [70])
    expect([(await search(true)).rows.length, fetched]).toEqual([60, [1, 6, 7, 2, 3, 4, 5, 6]])
    const brief = pagesOf(pages, 10, [70])
    expect([(await brief.search()).complete, brief.fetched]).toEqual([false, [1, 6, 7]])
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
      page: async () => ({
        data: { data: rows, pagination: { limit: 1_000, total: rows.length } },
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
    const { found, complete, reads } = await searchRows(rows, [write('A'), write('B'), write('D')])
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

  it('searchWrites() reads a single record only if its row lacks a field that decides', async () => {
    const rows = [
      { id: 'shown', name: 'A', created_at },
      { id: 'other', name: 'B', created_at },
      { id: 'hidden', created_at },
      { id: 'deleted', created_at },
    ]
    const { found, reads } = await searchRows(rows, [write('A')])
    expect([found, reads]).toEqual([[[['shown', 'hidden'], []]], ['hidden', 'deleted']])
  })

  it.each([
    [false, 20],
    [true, 500],
  ])('searchWrites() reads a bounded number of single records (thorough: %s): %i', async (isThorough, bound) => {
    const rows = upTo(bound + 2).map((i) => ({ id: `tr_${i}`, created_at }))
    const { found, reads } = await searchRows(rows, [write('A')], { isThorough })
    expect(reads).toEqual(rows.slice(0, bound).map(({ id }) => id))
    expect(found).toEqual([[reads, rows.slice(bound).map(({ id }) => id)]])
  })

  it('searchWrites() gives records with different content as candidates only if no record matches', async () => {
    const rows = ['altered', 'equal'].map((id) => ({ id, name: 'A', created_at }))
    const matchContent: LostWrite['matchContent'] = ({ id }) => (id === 'equal' ? 'yes' : 'altered')
    expect((await searchRows(rows, [write('A', { matchContent })])).found).toEqual([[['equal'], []]])
    expect((await searchRows(rows.slice(0, 1), [write('A', { matchContent })])).found).toEqual([[[], ['altered']]])
  })
})
