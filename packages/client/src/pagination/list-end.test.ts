import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { serviceError } from '../errors/index.js'
import { everyPage, type PageBody, readList } from './index.js'

type Row = { id: string }

/** A list as a service may show it. */
interface Service {
  rows: number
  /** Rows that the service counts, and does not show yet. */
  hidden: number
  limit: number
  cap: number
  pagination: 'full' | 'silent cap' | 'none' | 'text'
  total: 'exact' | 'none' | 'minus one' | 'capped' | 'low' | 'of the page'
  pastEnd: 'empty' | 'repeated' | '404' | '400'
  order: 'stable' | 'shuffled'
}

const services = fc.record<Service>({
  rows: fc.nat(60),
  hidden: fc.oneof(fc.constant(0), fc.nat(3)),
  limit: fc.integer({ min: 10, max: 30 }),
  cap: fc.oneof(fc.constant(100), fc.integer({ min: 10, max: 30 })),
  pagination: fc.constantFrom('full', 'silent cap', 'none', 'text'),
  total: fc.constantFrom('exact', 'none', 'minus one', 'capped', 'low', 'of the page'),
  pastEnd: fc.constantFrom('empty', 'repeated', '404', '400'),
  order: fc.constantFrom('stable', 'shuffled'),
})

const refusal = (status: number) =>
  serviceError(
    { operation: 'projects.list', surface: 'workspace', method: 'GET', url: '/projects', attempts: [] },
    status,
    undefined,
    undefined,
    undefined,
  ).error

/** Reads pages of a service. Row `r0` is the newest; hidden rows are newer. */
function listOf(service: Service, random: () => number) {
  const { rows, hidden, limit, cap, pagination, total, pastEnd, order } = service
  const size = Math.min(limit, cap)
  const all = Array.from({ length: rows }, (_, i): Row => ({ id: `r${i}` }))
  let requests = 0
  const bodyOf = (number: number): PageBody<Row> => {
    const shown = order === 'stable' ? all : shuffled(all, random)
    const data = shown.slice((number - 1) * size, number * size)
    const counted = rows + hidden
    const totals = {
      exact: counted,
      none: undefined,
      'minus one': -1,
      capped: Math.min(counted, 25),
      low: Math.floor(counted / 2),
      'of the page': data.length,
    }
    const counts = { page: number, limit: pagination === 'full' ? size : limit, total: totals[total] }
    if (pagination === 'none') return { data }
    const shownCounts = pagination === 'text' ? mapped(counts) : counts
    return { data, pagination: shownCounts as never }
  }
  return {
    requests: () => requests,
    size,
    async page(number: number): Promise<PageBody<Row>> {
      requests++
      const last = Math.max(1, Math.ceil(rows / size))
      if (number <= last || pastEnd === 'empty') return bodyOf(number)
      if (pastEnd === 'repeated') return bodyOf(last)
      throw refusal(Number(pastEnd))
    },
  }
}

const mapped = (counts: object) => Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, String(n)]))

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[mixed[i], mixed[j]] = [mixed[j] as T, mixed[i] as T]
  }
  return mixed
}

/** A generator of numbers from 0 to 1, the same for the same seed. */
const seeded = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

async function readOf(service: Service, seed: number, isThorough: boolean) {
  const list = listOf(service, seeded(seed))
  const reading = readList({ isThorough, limit: service.limit })
  const ids: string[] = []
  let error: unknown
  try {
    for await (const { newItems } of everyPage<Row, PageBody<Row>>(list.page, reading))
      ids.push(...newItems.map(({ id }) => id))
  } catch (failure) {
    error = failure
  }
  return { ids, reading, error, requests: list.requests(), size: list.size }
}

describe('a list that is read page by page', () => {
  it('every row of a stable list is read once', async () => {
    await fc.assert(
      fc.asyncProperty(services, fc.nat(), fc.boolean(), async (drawn, seed, isThorough) => {
        const service: Service = { ...drawn, order: 'stable' }
        // If a service caps its pages silently and counts wrongly, its first page can look like its whole list.
        fc.pre(
          isThorough ||
            service.pagination !== 'silent cap' ||
            !['of the page', 'low', 'capped'].includes(service.total),
        )
        const { ids, error, requests, size } = await readOf(service, seed, isThorough)
        expect(ids).toEqual(Array.from({ length: service.rows }, (_, i) => `r${i}`))
        expect(requests).toBeLessThanOrEqual(Math.max(1, Math.ceil(service.rows / size)) + 1)
        expect(error).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })

  it('a list is whole only if no row is missing, in whatever order its pages come', async () => {
    await fc.assert(
      fc.asyncProperty(services, fc.nat(), async (service, seed) => {
        const { ids, reading } = await readOf(service, seed, true)
        if (!reading.isWhole) return
        expect(new Set(ids).size).toBe(service.rows)
        const isCounted = ['full', 'silent cap'].includes(service.pagination) && service.total === 'exact'
        if (isCounted) expect(service.hidden).toBe(0)
        expect(reading.isShort).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })

  it('a stable list is whole at its end, unless the service refuses with 400 or repeats a full page', async () => {
    await fc.assert(
      fc.asyncProperty(services, fc.nat(), async (drawn, seed) => {
        const service: Service = { ...drawn, order: 'stable', hidden: 0 }
        const { reading, requests, size } = await readOf(service, seed, true)
        const lastPage = Math.ceil(service.rows / size)
        const endsShort = service.rows > size && service.rows % size > 0
        const reported = service.pagination === 'full' ? size : service.limit
        const hasRoom = service.rows % size > 0 || size < reported
        const isProven =
          service.pastEnd === 'empty' ||
          (service.pastEnd === 'repeated' && hasRoom) ||
          (service.pastEnd === '404' && hasRoom)
        expect(reading.isWhole).toBe(service.rows === 0 || endsShort || isProven)
        expect(requests).toBeLessThanOrEqual(Math.max(1, lastPage) + 1)
      }),
      { numRuns: 2_000 },
    )
  })

  it('a list that counts itself correctly costs a further request only if its last page is full', async () => {
    const plain = {
      hidden: 0,
      cap: 100,
      pagination: 'full',
      total: 'exact',
      pastEnd: 'empty',
      order: 'stable',
    } as const
    const requests = async (rows: number) => (await readOf({ ...plain, rows, limit: 20 }, 1, false)).requests
    expect(await Promise.all([0, 1, 19, 20, 21, 45, 60].map(requests))).toEqual([1, 1, 1, 2, 2, 3, 4])
  })

  it('a list whose rows move to later pages while it is read is whole if its total is right', async () => {
    const newest = (count: number) => Array.from({ length: count }, (_, i): Row => ({ id: `r${count - i}` }))
    const pages = (totals: boolean) => async (number: number) => {
      const stored = 40 + number * 3
      const data = newest(stored).slice((number - 1) * 10, number * 10)
      return { data, ...(totals && { pagination: { page: number, limit: 10, total: stored } }) }
    }
    for (const isCounted of [true, false]) {
      const reading = readList({ isThorough: true })
      const ids: string[] = []
      for await (const { newItems } of everyPage<Row, PageBody<Row>>(pages(isCounted), reading))
        ids.push(...newItems.map(({ id }) => id))
      expect([ids.length, reading.isWhole, reading.isShort]).toEqual([43, isCounted, !isCounted])
    }
  })

  it.each([400, 404])(
    'a list that the service ends with %i after a full page may be short, whatever its total',
    (status) => {
      const reading = readList({ isThorough: true })
      reading.add({ data: [{ id: 'a' }, { id: 'b' }], pagination: { page: 1, limit: 2, total: 2 } })
      reading.end(refusal(status))
      expect([reading.isWhole, reading.isShort]).toEqual([false, true])
      const counted = readList({ isThorough: true })
      counted.add({ data: [{ id: 'a' }], pagination: { page: 1, limit: 2, total: 1 } })
      counted.end(refusal(status))
      expect([counted.isWhole, counted.isShort]).toEqual([status === 404, false])
    },
  )

  it('a refusal of the first page is an error, not an end', () => {
    expect(() => readList().end(refusal(404))).toThrow()
  })
})
