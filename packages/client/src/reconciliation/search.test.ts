import { describe, expect, it } from 'vitest'
import type { Answered } from '../http/answer.js'
import { recentRows } from './search.js'

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
  recentRows(list.fetchPage, now, since * 1_000, false, () => true)
const sorted = (pages: number[]) => pages.sort((a, b) => a - b)

describe('a search of a list', () => {
  it('reads the first and the last two pages', async () => {
    const list = listOf(upTo(950))
    const { rows, complete } = await search(list, 940)
    expect([rows.length, complete, sorted(list.fetched)]).toEqual([250, true, [1, 9, 10]])
  })

  it('is complete if the whole list was read, or if it is ordered by time', async () => {
    const mixed = upTo(950).map((i) => (i * 7) % 950)
    expect((await search(listOf(mixed.slice(0, 290)), 0)).complete).toBe(true)
    expect((await search(listOf(upTo(950).reverse()), 900)).complete).toBe(true)
    expect((await search(listOf(mixed), 900)).complete).toBe(false)
  })

  it('reads on from the newest end past the records of other writers', async () => {
    const down = listOf(upTo(950).reverse())
    expect([(await search(down, 700)).complete, sorted(down.fetched)]).toEqual([true, [1, 2, 3, 9, 10]])
    const up = listOf(upTo(950))
    expect([(await search(up, 700)).complete, sorted(up.fetched)]).toEqual([true, [1, 7, 8, 9, 10]])
    const all = listOf(upTo(950).reverse())
    expect([(await search(all, 0)).rows.length, all.fetched.length]).toEqual([950, 10])
    expect((await search(listOf(upTo(3_000).reverse()), 0)).complete).toBe(false)
  })

  it("is incomplete if the service's time is unknown", async () => {
    expect((await search(listOf(upTo(3_000).reverse(), { date: '' }), 2_990)).complete).toBe(false)
    expect((await search(listOf(upTo(950).reverse(), { date: '' }), 940)).complete).toBe(true)
  })

  it('reads only the first pages of a list without pagination that is ordered from the newest', async () => {
    const list = listOf(upTo(950).reverse(), { paginated: false })
    expect([(await search(list, 900)).complete, list.fetched]).toEqual([true, [1]])
    const longer = listOf(upTo(950).reverse(), { paginated: false })
    expect([(await search(longer, 800)).complete, longer.fetched]).toEqual([true, [1, 2]])
  })

  it('reads any other list without pagination until a page brings no new row', async () => {
    for (const seconds of [[3, 1, 2], upTo(250), upTo(100).map((i) => (i * 7) % 100)]) {
      const { rows, complete } = await search(listOf(seconds, { paginated: false }), 0)
      expect([rows.length, complete]).toEqual([seconds.length, true])
    }
    expect((await search(listOf(upTo(2_500), { paginated: false }), 0)).complete).toBe(false)
  })

  it('computes the clock skew from the Date header', async () => {
    expect((await search(listOf([1], { date: 'Thu, 01 Jan 2026 00:00:07 GMT' }), 0)).skewMs).toBe(-3_000)
    expect((await search(listOf([1], { date: '' }), 0)).skewMs).toBeNaN()
  })
})
