import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InputError, ServiceError, serviceError } from '../errors/index.js'
import type { ResponsePromise } from '../http/index.js'
import type { ListEnd } from './list-end.js'
import { everyItem, itemsOfList, iterable, type Page, type PagedList, pageOf } from './pages.js'

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

/** The same, with the error of an incomplete list. */
async function collectIncomplete(items: AsyncIterable<Row>) {
  const ids: string[] = []
  try {
    for await (const { id } of items) ids.push(id)
  } catch (error) {
    if (error instanceof ServiceError) return { ids, error }
    throw error
  }
  return expect.unreachable('the list is complete')
}

/** The pages of a list of `total` items, with the numbers of the pages that were fetched. */
function pagedList(total: number, limit: number, isCounted = true) {
  const fetched: number[] = []
  const all = Array.from({ length: total }, (_, i) => i + 1)
  const list = {
    operation: 'projects.list',
    fetch: async (page: number): Promise<Page<Row>> => {
      fetched.push(page)
      const data = rows(...all.slice((page - 1) * limit, page * limit))
      const body = { data, ...(isCounted && { pagination: { page, limit, total } }), processing_time_ms: 1 }
      return pageOf(body, page, list)
    },
  }
  return { fetched, list }
}

describe('every item of a list', () => {
  it('every item of a list comes page by page until the total is reached', async () => {
    const { fetched, fetchPage } = listOf([rows(1, 2), rows(3, 4), rows(5)], { page: 1, limit: 2, total: 5 })
    expect(await collect(everyItem(fetchPage))).toEqual(['1', '2', '3', '4', '5'])
    expect(fetched).toEqual([1, 2, 3])
  })

  it('ends at a page shorter than an earlier one if there is no pagination', async () => {
    const { fetched, fetchPage } = listOf([rows(1, 2), rows(3)])
    expect(await collect(everyItem(fetchPage))).toEqual(['1', '2', '3'])
    expect(fetched).toEqual([1, 2])
  })

  it('survives an empty page in the middle', async () => {
    const { fetchPage } = listOf([rows(1, 2), [], rows(3)], { page: 1, limit: 2, total: 5 })
    const { ids, error } = await collectIncomplete(everyItem(fetchPage))
    expect([ids, error.incomplete]).toEqual([['1', '2', '3'], 'short'])
  })

  it('gives an item once when rows shift between pages', async () => {
    const { fetchPage } = listOf([rows(1, 2), rows(2, 3)], { page: 1, limit: 2, total: 4 })
    const { ids, error } = await collectIncomplete(everyItem(fetchPage))
    expect([ids, error.incomplete]).toEqual([['1', '2', '3'], 'moved'])
  })

  it('gives a repeated item once, and every item without an id', async () => {
    const twice = listOf([rows(1, 1, 2)], { page: 1, limit: 3, total: 3 })
    expect(await collect(everyItem(twice.fetchPage))).toEqual(['1', '2'])
    const nameless = {
      fetchPage: async (page: number) => ({
        data: page === 1 ? [{}, {}, {}] : [],
        pagination: { page, limit: 3, total: 3 },
      }),
    }
    let count = 0
    for await (const _ of everyItem(nameless.fetchPage)) count++
    expect(count).toBe(3)
  })

  it('tolerates pages that are shorter than the server reports', async () => {
    const { fetchPage } = listOf([rows(1, 2), rows(3, 4), rows(5)], { page: 1, limit: 100, total: 5 })
    expect(await collect(everyItem(fetchPage))).toEqual(['1', '2', '3', '4', '5'])
  })

  it('trusts the page size that the server used', async () => {
    const { fetchPage } = listOf([rows(1), rows(2), rows(3)], { page: 1, limit: 1, total: 3 })
    expect(await collect(everyItem(fetchPage))).toEqual(['1', '2', '3'])
  })

  it('ends although the server repeats one page for ever', async () => {
    let calls = 0
    const fetchPage = async () => {
      calls++
      return { data: rows(1, 2), pagination: { page: 1, limit: 2, total: 1e12 } }
    }
    const { ids, error } = await collectIncomplete(everyItem(fetchPage))
    expect([ids, error.incomplete, error.seen, error.total, calls]).toEqual([['1', '2'], 'short', 2, 1e12, 5])
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
      expect(await collect(everyItem(fetchPage, { maxItems }))).toHaveLength(Math.min(maxItems, 5))
      expect(fetched).toHaveLength(fetches)
    }
  })

  it('every item of a list is each one of five thousand, though the total changes, rows shift and a page is empty', async () => {
    const all = Array.from({ length: 5_000 }, (_, i) => ({ id: String(i) }))
    const fetchPage = async (page: number) => {
      const shift = page % 7
      const data =
        page === 20
          ? []
          : all.slice(Math.max(0, (page > 20 ? page - 2 : page - 1) * 100 - shift), (page > 20 ? page - 1 : page) * 100)
      return { data, pagination: { page, limit: 100, total: 5_100 + (page % 3) * 50 } }
    }
    const { ids, error } = await collectIncomplete(everyItem(fetchPage))
    expect([new Set(ids).size, error.incomplete]).toEqual([5_000, 'moved'])
  })

  it('stops fetching on break', async () => {
    const { fetched, fetchPage } = listOf([rows(1, 2), rows(3, 4)], { page: 1, limit: 2, total: 4 })
    for await (const { id } of everyItem(fetchPage)) if (id === '2') break
    expect(fetched).toEqual([1])
  })

  it('every item of a list is the whole list for any size and page size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 12 }), fc.boolean(), async (total, limit, paginated) => {
        const all = Array.from({ length: total }, (_, i) => String(i))
        const fetchPage = async (page: number) => ({
          data: rows(...all.slice((page - 1) * limit, page * limit)),
          ...(paginated && { pagination: { page, limit, total } }),
        })
        expect(await collect(everyItem(fetchPage))).toEqual(all)
      }),
    )
  })

  it('ends with an error after all items of a list that the service does not give whole', async () => {
    const { fetchPage } = listOf([rows(1, 2), rows(3)], { page: 1, limit: 2, total: 5 })
    const { ids, error } = await collectIncomplete(everyItem(fetchPage))
    expect(ids).toEqual(['1', '2', '3'])
    expect(error).toMatchObject({
      kind: 'unexpected',
      status: 200,
      incomplete: 'short',
      seen: 3,
      total: 5,
      attempts: [],
    })
    expect(error.message).toBe('everyItem: the list is incomplete: got 3 of 5 items; the service gives no more')
    const { incomplete, seen, total } = await new Promise<ListEnd>(
      (onEnd) => void collect(everyItem(fetchPage, { onEnd })),
    )
    expect([incomplete, seen, total]).toEqual(['short', 3, 5])
    expect(await collect(everyItem(fetchPage, { maxItems: 3 }))).toEqual(['1', '2', '3'])
  })

  it.each([Number.NaN, -1, '3'])('refuses maxItems of %j', async (maxItems) => {
    const { fetched, fetchPage } = listOf([rows(1)])
    const options = { maxItems: maxItems as number }
    await expect(collect(everyItem(fetchPage, options))).rejects.toThrow(InputError)
    const list: PagedList<{ data: Row[] }> = { operation: 'projects.list', fetch: fetchPage }
    await expect(collect(itemsOfList(list, maxItems as number))).rejects.toThrow('maxItems: expected a number from 0')
    expect(fetched).toEqual([])
  })

  it('does not end at an empty page with a total of 0', async () => {
    const total = (page: number) => (page === 2 ? 0 : 5)
    const pages = [rows(1, 2), [], rows(3, 4), rows(5)]
    const fetchPage = async (page: number) => ({
      data: pages[page - 1] ?? [],
      pagination: { page, limit: 2, total: total(page) },
    })
    expect(await collect(everyItem(fetchPage))).toHaveLength(5)
  })
})

describe('a page', () => {
  it('a page has a next page until the total is reached, or until a shorter page without pagination', async () => {
    for (const isCounted of [true, false]) {
      const { list, fetched } = pagedList(5, 2, isCounted)
      let page = await list.fetch(1)
      const sizes = [page.data.length]
      while (page.hasNextPage()) {
        page = await page.nextPage()
        sizes.push(page.data.length)
      }
      expect([sizes, fetched]).toEqual([
        [2, 2, 1],
        [1, 2, 3],
      ])
      expect(page.total).toBe(isCounted ? 5 : undefined)
    }
  })

  it('rejects nextPage after the last page without a request', async () => {
    const { list, fetched } = pagedList(1, 2)
    const page = await list.fetch(1)
    await expect(page.nextPage()).rejects.toThrow(InputError)
    await expect(page.nextPage()).rejects.toThrow('projects.list: page 1 is the last one.')
    expect(fetched).toEqual([1])
  })

  it('a page may have a next page if it is full, although the total is reached', async () => {
    const page = await pagedList(2, 2).list.fetch(1)
    expect(page.hasNextPage()).toBe(true)
    const next = await page.nextPage()
    expect([next.data, next.hasNextPage()]).toEqual([[], false])
  })

  it.each([400, 404])('gets an empty page if the service answers %i after the last one', async (status) => {
    const list: PagedList<Page<Row>> = {
      operation: 'projects.list',
      fetch: async () => {
        throw serviceError(
          { operation: 'projects.list', surface: 'workspace', method: 'GET', url: '/projects', attempts: [] },
          status,
          undefined,
          undefined,
          undefined,
        ).error
      },
    }
    const body = { data: rows(1), pagination: { page: 1, limit: 1, total: 1 }, processing_time_ms: 1 }
    const page = pageOf<Row, Page<Row>>(body, 1, list)
    const next = await page.nextPage()
    expect([next.data, next.pagination.page, next.hasNextPage()]).toEqual([[], 2, false])
    expect(await page.nextPage()).toBe(next)
  })

  it.each([
    ['ignores the page number', () => ({ data: rows(1, 2) })],
    ['counts more than it has', (page: number) => ({ data: page === 1 ? rows(1, 2) : [], pagination: { total: 1e9 } })],
  ])('a loop over the next pages ends at a service that %s', async (_, answer) => {
    let requests = 0
    const list: PagedList<Page<Row>> = {
      operation: 'projects.list',
      fetch: async (number) => {
        requests++
        return pageOf<Row, Page<Row>>(answer(number) as never, number, list)
      },
    }
    for (let page = await list.fetch(1); page.hasNextPage(); ) page = await page.nextPage()
    expect(requests).toBeLessThanOrEqual(5)
  })

  it('a page has no next page when it lies past the end', async () => {
    expect((await pagedList(5, 2).list.fetch(9)).hasNextPage()).toBe(false)
  })

  it('a page has a next page after fewer items than asked for if the total is higher', async () => {
    const list = { operation: 'o', fetch: async () => expect.unreachable() }
    const body = { data: rows(1, 2), pagination: { total: 5 } as never, processing_time_ms: 1 }
    expect(pageOf<Row, Page<Row>>(body, 1, list).hasNextPage()).toBe(true)
  })

  it('a page can get its next page again after a call that failed', async () => {
    const { list, fetched } = pagedList(5, 2)
    const { fetch } = list
    const failing = { ...list, fetch: async (page: number) => (fetched.push(page) === 2 ? failure() : fetch(page)) }
    const failure = () => Promise.reject(new Error('lost'))
    const body = { data: rows(1, 2), pagination: { page: 1, limit: 2, total: 5 }, processing_time_ms: 1 }
    const page = pageOf<Row, Page<Row>>(body, 1, failing)
    fetched.push(1)
    await expect(page.nextPage()).rejects.toThrow('lost')
    const next = await page.nextPage()
    expect([next.data, next.hasNextPage(), await page.nextPage()]).toEqual([rows(3, 4), true, next])
    expect(fetched).toEqual([1, 2, 2, 2])
  })

  it('a page is a plain value of the body that the service gave, and the total', async () => {
    const page = await pagedList(5, 2).list.fetch(1)
    const body = { data: rows(1, 2), pagination: { page: 1, limit: 2, total: 5 }, processing_time_ms: 1, total: 5 }
    expect(page).toEqual(body)
    expect(JSON.parse(JSON.stringify(page))).toEqual(body)
    expect(structuredClone(page)).toEqual(body)
    expect(Object.keys(page)).toEqual(Object.keys(body))
    expect([Object.getPrototypeOf(page), Object.getOwnPropertySymbols(page)]).toEqual([Object.prototype, []])
  })
})

describe('the answer of a list', () => {
  it('iterates over the items of its page and all later ones, without a second request for its page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(30),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (total, limit, first, isCounted) => {
          const { list, fetched } = pagedList(total, limit, isCounted)
          const answer = iterable<Row, Page<Row>>(list.fetch(first) as ResponsePromise<Page<Row>>, list, first)
          const skipped = (first - 1) * limit
          const expected = Array.from({ length: Math.max(0, total - skipped) }, (_, i) => String(skipped + i + 1))
          expect(await collect(answer)).toEqual(expected)
          expect(fetched.filter((number) => number === first)).toEqual([first])
        },
      ),
    )
  })

  it('ends with an error after all items of a list that the service does not give whole', async () => {
    const list: PagedList<Page<Row>> = {
      operation: 'projects.list',
      fetch: async (page) => {
        const data = page === 1 ? rows(1, 2) : []
        return pageOf({ data, pagination: { page, limit: 2, total: 9 } }, page, list)
      },
    }
    const answer = iterable<Row, Page<Row>>(list.fetch(1) as ResponsePromise<Page<Row>>, list, 1)
    const { ids, error } = await collectIncomplete(answer)
    expect([ids, error.operation, error.incomplete, error.seen]).toEqual([['1', '2'], 'projects.list', 'short', 2])
  })
})

describe('the items of a list', () => {
  it('the items of a list are collected up to the limit, without a request beyond it', async () => {
    for (const [limit, fetches] of [
      [0, 0],
      [2, 1],
      [3, 2],
      [Infinity, 3],
    ] as const) {
      const { list, fetched } = pagedList(5, 2)
      const items = await itemsOfList<Row, Page<Row>>(list).toArray({ limit })
      expect([items.length, fetched.length]).toEqual([Math.min(5, limit), fetches])
    }
  })

  it('the items of a list are read again from the first page by each iteration', async () => {
    const { list } = pagedList(3, 2)
    const items = itemsOfList<Row, Page<Row>>(list)
    expect(await collect(items)).toEqual(await collect(items))
  })

  it('the items of a list come as pages, each with an item that no earlier page had', async () => {
    const { list } = pagedList(5, 2)
    const totals: unknown[] = []
    for await (const page of itemsOfList<Row, Page<Row>>(list).pages()) totals.push([page.data.length, page.total])
    expect(totals).toEqual([
      [2, 5],
      [2, 5],
      [1, 5],
    ])
    let pages = 0
    const same = { operation: 'projects.list', fetch: async () => ({ data: rows(1, 2) }) }
    for await (const _ of itemsOfList<Row, { data: Row[] }>(same).pages()) pages++
    expect(pages).toBe(1)
  })

  it('the error of an incomplete list has the items that were collected, and does not print them', async () => {
    const list = {
      operation: 'projects.list',
      fetch: async (page: number) => ({
        data: page === 1 ? rows('secret', 'b') : [],
        pagination: { page, limit: 2, total: 3 },
      }),
    }
    const error = await itemsOfList<Row, { data: Row[] }>(list)
      .toArray({ limit: 9 })
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ServiceError)
    expect((error as ServiceError).items).toEqual(rows('secret', 'b'))
    expect(inspect(error) + JSON.stringify(error)).not.toContain('secret')
    expect(await itemsOfList<Row, { data: Row[] }>(list).toArray({ limit: 2 })).toHaveLength(2)
  })
})
