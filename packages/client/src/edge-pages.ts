import type { Answered } from './answered.js'
import { instantOf, type Stored } from './match.js'
import { parseHttpDate } from './retry-after.js'

type ListPage = Answered<{ data: { id: string }[]; pagination?: { limit?: number; total?: number } }>

/** What a look at a list shows. */
export interface Rows {
  rows: Stored[]
  /** The service's clock minus ours, at least, in milliseconds; undefined where it does not tell its time. */
  skewMs: number | undefined
  /** A record that is among the newest of the list would be among the rows. */
  complete: boolean
}

/** The page size of a look. */
export const lookLimit = 100

/**
 * The rows of the first and the last two pages of a list, among which a new record is when the list is ordered by time:
 * its order is not shown in the interface, so that is looked at, and said.
 */
export async function edgePages(fetchPage: (page: number) => Promise<ListPage>, now: () => number): Promise<Rows> {
  const first = await fetchPage(1)
  const time = parseHttpDate(first.response.headers.get('date') ?? '', now())
  const skewMs = time === undefined ? undefined : time - now()
  const { total, limit } = first.data.pagination ?? {}
  if (typeof total !== 'number') return { ...(await untilTheEnd(first, fetchPage)), skewMs }
  const last = Math.ceil(total / (limit || lookLimit))
  const others = [last - 1, last].filter((page) => page > 1)
  const rows = distinct([first, ...(await Promise.all(others.map(fetchPage)))])
  return { rows, skewMs, complete: rows.length >= total || stepsOf(rows) !== 'none' }
}

/** Pages that are read of a list that does not say how long it is. */
const longest = 20

/** A list that does not say how long it is: the newest are on its first page, or it is read until nothing new comes. */
async function untilTheEnd(
  first: ListPage,
  fetchPage: (page: number) => Promise<ListPage>,
): Promise<Omit<Rows, 'skewMs'>> {
  let rows = distinct([first])
  if (stepsOf(rows) === 'down') return { rows, complete: true }
  const pages = [first]
  for (let page = 2; page <= longest; page++) {
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
