import type { Answered } from './answered.js'
import { instantOf, type Stored } from './match.js'
import { parseHttpDate } from './retry-after.js'

type ListPage = Answered<{ data: { id: string }[]; pagination?: { limit?: number; total?: number } }>

/** What a look at a list shows. */
export interface Rows {
  rows: Stored[]
  /** The service's clock minus ours, at least, in milliseconds; undefined where it does not tell its time. */
  skewMs: number | undefined
  /** A record that was made since then would be among the rows. */
  complete: boolean
}

/** The page size of a look. */
export const lookLimit = 100

/**
 * The rows of a list that were made since an instant of our own clock. A list is read from both ends, since its order is
 * not shown in the interface: that is looked at, and said. Behind the end with the newest it is read on for as long as
 * others have written meanwhile, until a row is older.
 */
export async function edgePages(
  fetchPage: (page: number) => Promise<ListPage>,
  now: () => number,
  since: number,
): Promise<Rows> {
  const first = await fetchPage(1)
  const time = parseHttpDate(first.response.headers.get('date') ?? '', now())
  const skewMs = time === undefined ? undefined : time - now()
  const isOlder = ({ created_at }: Stored) =>
    skewMs !== undefined && (instantOf(created_at) ?? Number.NaN) < wholeSecond(since + skewMs)
  const { total, limit } = first.data.pagination ?? {}
  if (typeof total !== 'number') return { ...(await untilTheEnd(first, fetchPage, isOlder)), skewMs }
  const last = Math.ceil(total / (limit || lookLimit))
  const ends = await Promise.all([last - 1, last].filter((page) => page > 1).map(fetchPage))
  const pages = [first, ...ends]
  const order = stepsOf(distinct(pages))
  let reached = order !== 'none' && distinct(order === 'down' ? [first] : ends).some(isOlder)
  const between = Array.from({ length: Math.max(0, last - 3) }, (_, i) => (order === 'down' ? i + 2 : last - 2 - i))
  for (const page of order === 'none' ? [] : between.slice(0, longest)) {
    if (reached) break
    const more = await fetchPage(page)
    pages.push(more)
    reached = distinct([more]).some(isOlder)
  }
  const rows = distinct(pages)
  return { rows, skewMs, complete: rows.length >= total || reached }
}

/** A service may write its times without a fraction of the second. */
export const wholeSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000

/** Pages that are read on. */
const longest = 20

/** A list that does not say how long it is: the newest are on its first pages, or it is read until nothing new comes. */
async function untilTheEnd(
  first: ListPage,
  fetchPage: (page: number) => Promise<ListPage>,
  isOlder: (row: Stored) => boolean,
): Promise<Omit<Rows, 'skewMs'>> {
  const pages = [first]
  let rows = distinct(pages)
  for (let page = 2; page <= longest; page++) {
    if (stepsOf(rows) === 'down' && rows.some(isOlder)) return { rows, complete: true }
    pages.push(await fetchPage(page))
    const more = distinct(pages)
    if (more.length === rows.length) return { rows, complete: true }
    rows = more
  }
  return { rows, complete: false }
}

const distinct = (pages: ListPage[]): Stored[] => [
  ...new Map(pages.flatMap((page) => page.data.data).map((row) => [row.id, row as Stored])).values(),
]

/** Whether rows stand in the order of their time; rows that are all of one time stand in none. */
function stepsOf(rows: readonly Stored[]): 'up' | 'down' | 'none' {
  const times = rows.map((row) => instantOf(row.created_at) ?? Number.NaN)
  const steps = times.slice(1).map((time, i) => Math.sign(time - (times[i] ?? Number.NaN)))
  if (steps.every((step) => step >= 0) && steps.includes(1)) return 'up'
  return steps.every((step) => step <= 0) && steps.includes(-1) ? 'down' : 'none'
}
