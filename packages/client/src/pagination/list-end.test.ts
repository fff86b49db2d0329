import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/helpers/long.js'
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
  total: 'exact' | 'none' | 'minus one' | 'capped' | 'low' | 'of the page' | 'so far'
  pastEnd: 'empty' | 'repeated' | '404' | '400'
  order: 'stable' | 'shuffled'
}

const services = fc.record<Service>({
  rows: fc.nat(60),
  hidden: fc.oneof(fc.constant(0), fc.nat(3)),
  limit: fc.integer({ min: 10, max: 30 }),
  cap: fc.oneof(fc.constant(100), fc.integer({ min: 10, max: 30 })),
  pagination: fc.constantFrom('full', 'silent cap', 'none', 'text'),
  total: fc.constantFrom('exact', 'none', 'minus one', 'capped', 'low', 'of the page', 'so far'),
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
      'so far': Math.min(counted, number * size + 1),
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

/** The last page is full, as far as the client knows. */
const endsFull = ({ rows, limit, cap, pagination }: Service): boolean => {
  const size = Math.min(limit, cap)
  return rows > 0 && rows % size === 0 && (pagination === 'full' || size === limit)
}
const isCounted = ({ pagination, total }: Service): boolean =>
  ['full', 'silent cap'].includes(pagination) && total === 'exact'

/** A request more than there are pages; as many again and three if the service repeats the last one. */
const requestsOf = ({ rows, pastEnd }: Service, size: number): number => {
  const pages = Math.max(1, Math.ceil(rows / size))
  return pastEnd === 'repeated' ? 2 * pages + 3 : pages + 1
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
  it('every row of a stable list is read once, and it counts as incomplete only if the service ends it after a full page', async () => {
    await fc.assert(
      fc.asyncProperty(services, fc.nat(), fc.boolean(), async (drawn, seed, isThorough) => {
        const service: Service = { ...drawn, order: 'stable', hidden: 0 }
        // If a service caps its pages silently and counts wrongly, its first page can look like its whole list.
        fc.pre(
          isThorough ||
            service.pagination !== 'silent cap' ||
            !['of the page', 'low', 'capped'].includes(service.total),
        )
        const { ids, reading, error, requests, size } = await readOf(service, seed, isThorough)
        expect(ids).toEqual(Array.from({ length: service.rows }, (_, i) => `r${i}`))
        expect(requests).toBeLessThanOrEqual(requestsOf(service, size))
        expect(error).toBeUndefined()
        const mayEndEarly = service.pastEnd !== 'empty' && endsFull(service) && !isCounted(service)
        if (!mayEndEarly) expect(reading.incomplete).toBeUndefined()
      }),
      { numRuns: runs(600) },
    )
  })

  it('a list is whole only if no row is missing, in whatever order its pages come', async () => {
    await fc.assert(
      fc.asyncProperty(services, fc.nat(), async (service, seed) => {
        // A total that grows looks as if others add rows, which then come twice, too.
        fc.pre(service.order === 'stable' || service.total !== 'so far')
        const { ids, reading } = await readOf(service, seed, true)
        if (!reading.isWhole) return
        expect(new Set(ids).size).toBe(service.rows)
        if (isCounted(service)) expect(service.hidden).toBe(0)
        expect(reading.incomplete).toBeUndefined()
      }),
      { numRuns: runs(600) },
    )
  })

  it('a stable list is whole at its end, unless the service refuses with 400 or repeats a full page', async () => {
    await fc.assert(
      fc.asyncProperty(services, fc.nat(), async (drawn, seed) => {
        const service: Service = { ...drawn, order: 'stable', hidden: 0 }
        const { reading, requests, size } = await readOf(service, seed, true)
        const endsShort = service.rows > size && service.rows % size > 0
        const reported = service.pagination === 'full' ? size : service.limit
        const hasRoom = service.rows % size > 0 || size < reported
        const isProven =
          service.pastEnd === 'empty' ||
          (service.pastEnd === 'repeated' && hasRoom) ||
          (service.pastEnd === '404' && hasRoom)
        expect(reading.isWhole).toBe(service.rows === 0 || endsShort || isProven)
        expect(requests).toBeLessThanOrEqual(requestsOf(service, size))
      }),
      { numRuns: runs(600) },
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
      expect([ids.length, reading.isWhole, reading.incomplete]).toEqual([
        43,
        isCounted,
        isCounted ? undefined : 'moved',
      ])
    }
  })

  it.each([400, 404])(
    'a list that the service ends with %i after a full page is short if a total is not reached, and not proven',
    (status) => {
      const endOf = (size: number, counts: { limit?: number; total?: number }) => {
        const reading = readList({ isThorough: true, limit: 2 })
        const data = Array.from({ length: size }, (_, i) => ({ id: `r${i}` }))
        reading.add({ data, pagination: { page: 1, ...counts } as never })
        reading.end(refusal(status))
        return [reading.isWhole, reading.incomplete]
      }
      expect(endOf(2, { limit: 2 })).toEqual([false, undefined])
      expect(endOf(2, { limit: 2, total: 4 })).toEqual([false, 'short'])
      expect(endOf(2, { limit: 2, total: 2 })).toEqual([false, undefined])
      expect(endOf(1, {})).toEqual([status === 404, undefined])
      expect(endOf(1, { limit: 2, total: 1 })).toEqual([status === 404, undefined])
    },
  )

  it.each(['the first', 'the last'])(
    'a list whose total is reached is complete if %s page comes behind its end',
    async (which) => {
      const rows = Array.from({ length: 40 }, (_, i): Row => ({ id: `r${i}` }))
      const reading = readList({ isThorough: true })
      const page = async (number: number) => {
        const shown = number <= 2 ? number : which === 'the first' ? 1 : 2
        return { data: rows.slice((shown - 1) * 20, shown * 20), pagination: { page: number, limit: 20, total: 40 } }
      }
      let seen = 0
      for await (const { newItems } of everyPage<Row, PageBody<Row>>(page, reading)) seen += newItems.length
      expect([seen, reading.incomplete, reading.isWhole]).toEqual([40, undefined, false])
    },
  )

  it('a list that shows fewer items than its total is short only after its tail was read again', async () => {
    const read = async (late: readonly string[]) => {
      const requested: number[] = []
      const reading = readList()
      const ids: string[] = []
      const page = async (number: number) => {
        requested.push(number)
        const last = requested.length > 2 ? ['c', ...late] : ['c']
        const data = (number === 1 ? ['a', 'b'] : number === 2 ? last : []).map((id) => ({ id }))
        return { data, pagination: { page: number, limit: 2, total: 4 } }
      }
      for await (const { newItems } of everyPage<Row, PageBody<Row>>(page, reading))
        ids.push(...newItems.map(({ id }) => id))
      return [ids.join(''), reading.incomplete, requested]
    }
    expect(await read([])).toEqual(['abc', 'short', [1, 2, 2]])
    expect(await read(['d'])).toEqual(['abcd', undefined, [1, 2, 2, 3]])
  })

  it.each<[string, (number: number) => PageBody<Row>, number, 'moved' | 'short' | undefined]>([
    ['an empty page for each of the others that it counts', (n) => counted(n < 3 ? n : 0, 1_000), 2 + 5, 'short'],
    ['six empty pages, and then the others', (n) => counted(n < 5 || (n > 10 && n <= 50) ? n : 0, 100), 53, 'short'],
    ['the first page again and again, and counts no more', () => counted(1, 2), 1 + 4, undefined],
    ['the first page again and again, and counts more', () => counted(1, 1_000), 1 + 4, 'short'],
    ['the first page again and again, and counts nothing', () => ({ data: counted(1, 0).data }), 1 + 4, undefined],
  ])(
    'reads on for as many pages as before and three if the service gives %s',
    async (_, page, requests, incomplete) => {
      let requested = 0
      const reading = readList()
      const read = everyPage<Row, PageBody<Row>>(async (number) => {
        requested++
        return page(number)
      }, reading)
      for await (const _ of read);
      expect([requested, reading.incomplete]).toEqual([requests, incomplete])
    },
  )

  it('a long list that counts one more than its items so far is read to its end', async () => {
    const service = { rows: 610, hidden: 0, limit: 10, cap: 100, pastEnd: 'empty', order: 'stable' } as const
    const { ids, reading } = await readOf({ ...service, pagination: 'full', total: 'so far' }, 1, false)
    expect([ids.length, reading.incomplete]).toEqual([610, undefined])
  })

  it('a refusal of the first page is an error, not an end', () => {
    expect(() => readList().end(refusal(404))).toThrow()
  })
})

/** Page `number` of two rows; without rows for 0. */
const counted = (number: number, total: number): PageBody<Row> => ({
  data: number === 0 ? [] : [{ id: `${number}a` }, { id: `${number}b` }],
  pagination: { page: number, limit: 2, total },
})

interface Writing {
  rows: number
  size: number
  isCounted: boolean
  isThorough: boolean
  pastEnd: 'empty' | 'repeated'
  /** Before each request in turn: rows that others add at this share of the list, or remove. Later ones as `after`. */
  writes: readonly { at: number; added: number }[]
  /** Rows that others add at the top before each later request. */
  after: number
}

/** Reads a list while others write: the rows that were there all the time, those that were read, and the requests. */
async function readWhileWritten({ rows, size, isCounted, isThorough, pastEnd, writes, after }: Writing) {
  let stored = Array.from({ length: rows }, (_, i) => `r${i}`)
  const lasting = new Set(stored)
  let requests = 0
  let added = 0
  const page = async (number: number): Promise<PageBody<Row>> => {
    const write = writes[requests - 1] ?? { at: 0, added: requests > 0 ? after : 0 }
    requests++
    const at = Math.floor(write.at * stored.length)
    const removed = Math.max(0, -write.added)
    for (const id of stored.slice(at, at + removed)) lasting.delete(id)
    const inserted = Array.from({ length: Math.max(0, write.added) }, () => `n${added++}`)
    stored = [...stored.slice(0, at), ...inserted, ...stored.slice(at + removed)]
    const last = Math.max(1, Math.ceil(stored.length / size))
    const shown = pastEnd === 'repeated' ? Math.min(number, last) : number
    const data = stored.slice((shown - 1) * size, shown * size).map((id) => ({ id }))
    return { data, ...(isCounted && { pagination: { page: number, limit: size, total: stored.length } }) }
  }
  const reading = readList({ limit: size, isThorough })
  const ids = new Set<string>()
  let lastNew = 0
  for await (const { newItems } of everyPage<Row, PageBody<Row>>(page, reading)) {
    if (newItems.length > 0) lastNew = requests
    for (const { id } of newItems) ids.add(id)
  }
  const missing = [...lasting].filter((id) => !ids.has(id))
  // Whole is more than not incomplete.
  if (reading.isWhole) expect(reading.incomplete).toBeUndefined()
  return { missing, incomplete: reading.incomplete, requests, lastNew, stored: stored.length }
}

const share = fc.double({ min: 0, max: 1, noNaN: true })
const writing = {
  rows: fc.nat(40),
  size: fc.integer({ min: 1, max: 8 }),
  isThorough: fc.boolean(),
  pastEnd: fc.constantFrom('empty', 'repeated') as fc.Arbitrary<'empty' | 'repeated'>,
}

describe('a list that others write while it is read', () => {
  it('a list to which others add is read whole, or is incomplete, within a bounded number of requests', async () => {
    const added = fc.record({ at: fc.oneof(fc.constantFrom(0, 1), share), added: fc.nat(25) })
    const adding = fc.record<Writing>({
      ...writing,
      isCounted: fc.boolean(),
      writes: fc.array(added, { maxLength: 12 }),
      after: fc.constantFrom(0, 0, 1, 8, 30),
    })
    const ends = { whole: 0, incomplete: 0 }
    await fc.assert(
      fc.asyncProperty(adding, async (drawn) => {
        // A list that grows faster than it is read has no end, which only its total can tell.
        fc.pre(drawn.isCounted || drawn.after <= drawn.size)
        const { missing, incomplete, requests, lastNew, stored } = await readWhileWritten(drawn)
        if (!incomplete) expect(missing).toEqual([])
        ends[incomplete ? 'incomplete' : 'whole']++
        // After the last new item come as many pages as before it, and three.
        const most = Math.max(2 * (Math.ceil(stored / drawn.size) + 1) + 6, 2 * lastNew + 3)
        expect(requests).toBeLessThanOrEqual(most)
      }),
      { numRuns: runs(900) },
    )
    expect(Math.min(ends.whole, ends.incomplete)).toBeGreaterThan(300)
  })

  it('a counted list whose newest rows come first is read whole, or is incomplete, while others add and remove', async () => {
    const write = fc.oneof(
      fc.record({ at: fc.constant(0), added: fc.nat(25) }),
      fc.record({ at: share, added: fc.integer({ min: -12, max: -1 }) }),
    )
    const changing = fc.record<Writing>({
      ...writing,
      isCounted: fc.constant(true),
      writes: fc.array(write, { maxLength: 12 }),
      after: fc.constantFrom(0, 1),
    })
    await fc.assert(
      fc.asyncProperty(changing, async (drawn) => {
        const { missing, incomplete } = await readWhileWritten(drawn)
        if (!incomplete) expect(missing).toEqual([])
      }),
      { numRuns: runs(900) },
    )
  })

  it('a thousand rows are read whole although 350 are added after the fourth page', async () => {
    const write = (added: number) => ({ at: 0, added })
    const writes = [0, 0, 0, 350].map(write)
    const drawn = {
      rows: 1_000,
      size: 100,
      isCounted: true,
      isThorough: false,
      pastEnd: 'empty',
      writes,
      after: 0,
    } as const
    expect(await readWhileWritten(drawn)).toMatchObject({
      missing: [],
      incomplete: undefined,
      requests: 14,
      stored: 1_350,
    })
    const { incomplete, requests } = await readWhileWritten({ ...drawn, after: 100 })
    expect([incomplete, requests]).toEqual(['moved', 4 + 7])
  })
})
