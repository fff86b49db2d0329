import { describe, expect, it } from 'vitest'
import type { Answered } from './answered.js'
import { edgePages } from './edge-pages.js'

const now = () => Date.parse('2026-01-01T00:00:10Z')
const at = (second: number) => ({ id: `tr_${second}`, created_at: new Date(second * 1_000).toISOString() })

/** A list of so many rows in pages of a hundred, in an order of time, and what of it is fetched. */
function listOf(seconds: number[], { paginated = true, date = '' } = {}) {
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

describe('a look at a list', () => {
  it('reads the first and the last two pages', async () => {
    const { fetched, fetchPage } = listOf(upTo(950))
    const { rows, complete } = await edgePages(fetchPage, now)
    expect(fetched.sort((a, b) => a - b)).toEqual([1, 9, 10])
    expect([rows.length, complete]).toEqual([250, true])
  })

  it('would show a new record where the list is whole, or ordered by time, up or down', async () => {
    const mixed = upTo(950).map((i) => (i * 7) % 950)
    expect((await edgePages(listOf(mixed.slice(0, 290)).fetchPage, now)).complete).toBe(true)
    expect((await edgePages(listOf(upTo(950).reverse()).fetchPage, now)).complete).toBe(true)
    expect((await edgePages(listOf(mixed).fetchPage, now)).complete).toBe(false)
  })

  it('is satisfied with the first page of a list without pagination that begins with the newest', async () => {
    const { fetched, fetchPage } = listOf(upTo(950).reverse(), { paginated: false })
    expect([(await edgePages(fetchPage, now)).complete, fetched]).toEqual([true, [1]])
  })

  it('reads any other list without pagination until nothing new comes', async () => {
    for (const seconds of [[3, 1, 2], upTo(250), upTo(100).map((i) => (i * 7) % 100)]) {
      const { rows, complete } = await edgePages(listOf(seconds, { paginated: false }).fetchPage, now)
      expect([rows.length, complete]).toEqual([seconds.length, true])
    }
    expect((await edgePages(listOf(upTo(2_500), { paginated: false }).fetchPage, now)).complete).toBe(false)
  })

  it('learns how far the clocks are apart where the service tells its time', async () => {
    const { fetchPage } = listOf([1], { date: 'Thu, 01 Jan 2026 00:00:07 GMT' })
    expect((await edgePages(fetchPage, now)).skewMs).toBe(-3_000)
    expect((await edgePages(listOf([1]).fetchPage, now)).skewMs).toBeUndefined()
  })
})
