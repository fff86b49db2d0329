import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everyItem, type Page } from './pagination.js'

type Row = { id: string }
const rows = (...ids: (string | number)[]): Row[] => ids.map((id) => ({ id: String(id) }))

/** A list that answers from given pages, counting what is fetched; past the end it is empty. */
function listOf(pages: Row[][], pagination?: Page<Row>['pagination']) {
  const fetched: number[] = []
  const fetchPage = async (page: number) => {
    fetched.push(page)
    return { data: pages[page - 1] ?? [], ...(pagination && { pagination }) }
  }
  return { fetched, fetchPage }
}

async function collect(items: AsyncIterable<Row>): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of items) ids.push(id)
  return ids
}

describe('every item of a list', () => {
  it('comes page by page until the total is reached', async () => {
    const { fetched, fetchPage } = listOf([rows(1, 2), rows(3, 4), rows(5)], { page: 1, limit: 2, total: 5 })
    expect(await collect(everyItem(fetchPage, 2))).toEqual(['1', '2', '3', '4', '5'])
    expect(fetched).toEqual([1, 2, 3])
  })

  it('ends at a short page if there is no pagination', async () => {
    const { fetched, fetchPage } = listOf([rows(1, 2), rows(3)])
    expect(await collect(everyItem(fetchPage, 2))).toEqual(['1', '2', '3'])
    expect(fetched).toEqual([1, 2])
  })

  it('survives an empty page in the middle', async () => {
    const { fetchPage } = listOf([rows(1, 2), [], rows(3)], { page: 1, limit: 2, total: 5 })
    expect(await collect(everyItem(fetchPage, 2))).toEqual(['1', '2', '3'])
  })

  it('gives an item once when rows shift between pages', async () => {
    const { fetchPage } = listOf([rows(1, 2), rows(2, 3)], { page: 1, limit: 2, total: 4 })
    expect(await collect(everyItem(fetchPage, 2))).toEqual(['1', '2', '3'])
  })

  it('gives a repeated item once, and every item without an id', async () => {
    const twice = listOf([rows(1, 1, 2)], { page: 1, limit: 3, total: 3 })
    expect(await collect(everyItem(twice.fetchPage, 3))).toEqual(['1', '2'])
    const nameless = {
      fetchPage: async (page: number) => ({
        data: page === 1 ? [{}, {}, {}] : [],
        pagination: { page, limit: 3, total: 3 },
      }),
    }
    let count = 0
    for await (const _ of everyItem(nameless.fetchPage, 3)) count++
    expect(count).toBe(3)
  })

  it('tolerates pages that are shorter than the server reports', async () => {
    const { fetchPage } = listOf([rows(1, 2), rows(3, 4), rows(5)], { page: 1, limit: 100, total: 5 })
    expect(await collect(everyItem(fetchPage, 100))).toEqual(['1', '2', '3', '4', '5'])
  })

  it('trusts the page size that the server used', async () => {
    const { fetchPage } = listOf([rows(1), rows(2), rows(3)], { page: 1, limit: 1, total: 3 })
    expect(await collect(everyItem(fetchPage, 100))).toEqual(['1', '2', '3'])
  })

  it('ends although the server repeats one page for ever', async () => {
    let calls = 0
    const fetchPage = async () => {
      calls++
      return { data: rows(1, 2), pagination: { page: 1, limit: 2, total: 1e12 } }
    }
    expect(await collect(everyItem(fetchPage, 2))).toEqual(['1', '2'])
    expect(calls).toBeLessThan(10)
  })

  it('ends after maxItems, without fetching more pages than needed', async () => {
    const pages = [rows(1, 2), rows(3, 4), rows(5)]
    for (const [maxItems, fetches] of [
      [0, 0],
      [1, 1],
      [2, 1],
      [3, 2],
      [99, 3],
    ] as const) {
      const { fetched, fetchPage } = listOf(pages, { page: 1, limit: 2, total: 5 })
      expect(await collect(everyItem(fetchPage, 2, maxItems))).toHaveLength(Math.min(maxItems, 5))
      expect(fetched).toHaveLength(fetches)
    }
  })

  it('is each one of five thousand, though the total changes, rows shift and a page is empty', async () => {
    const all = Array.from({ length: 5_000 }, (_, i) => ({ id: String(i) }))
    const fetchPage = async (page: number) => {
      const shift = page % 7
      const data =
        page === 20
          ? []
          : all.slice(Math.max(0, (page > 20 ? page - 2 : page - 1) * 100 - shift), (page > 20 ? page - 1 : page) * 100)
      return { data, pagination: { page, limit: 100, total: 5_100 + (page % 3) * 50 } }
    }
    expect(new Set(await collect(everyItem(fetchPage, 100))).size).toBe(5_000)
  })

  it('stops fetching on break', async () => {
    const { fetched, fetchPage } = listOf([rows(1, 2), rows(3, 4)], { page: 1, limit: 2, total: 4 })
    for await (const { id } of everyItem(fetchPage, 2)) if (id === '2') break
    expect(fetched).toEqual([1])
  })

  it('is the whole list for any size and page size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 12 }), fc.boolean(), async (total, limit, paginated) => {
        const all = Array.from({ length: total }, (_, i) => String(i))
        const fetchPage = async (page: number) => ({
          data: rows(...all.slice((page - 1) * limit, page * limit)),
          ...(paginated && { pagination: { page, limit, total } }),
        })
        expect(await collect(everyItem(fetchPage, limit))).toEqual(all)
      }),
    )
  })

  it('does not end at an empty page with a total of 0', async () => {
    const total = (page: number) => (page === 2 ? 0 : 5)
    const pages = [rows(1, 2), [], rows(3, 4), rows(5)]
    const fetchPage = async (page: number) => ({
      data: pages[page - 1] ?? [],
      pagination: { page, limit: 2, total: total(page) },
    })
    expect(await collect(everyItem(fetchPage, 2))).toHaveLength(5)
  })
})
