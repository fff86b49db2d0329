import type { Answered } from './answered.js'
import { instantOf, type Stored } from './match.js'
import { parseHttpDate } from './retry-after.js'

type ListPage = Answered<{ data: { id: string }[]; pagination?: { limit: number; total: number } }>

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
  const { pagination, data } = first.data
  const last = pagination ? Math.ceil(pagination.total / (pagination.limit || lookLimit)) : 1
  const others = [last - 1, last].filter((page) => page > 1)
  const pages = [first, ...(await Promise.all(others.map(fetchPage)))]
  const rows = [...new Map(pages.flatMap((page) => page.data.data).map((row) => [row.id, row as Stored])).values()]
  const covered = pagination ? rows.length >= pagination.total : data.length < lookLimit
  return { rows, skewMs: time === undefined ? undefined : time - now(), complete: covered || isByTime(rows) }
}

function isByTime(rows: readonly Stored[]): boolean {
  const times = rows.map((row) => instantOf(row.created_at) ?? Number.NaN)
  const steps = times.slice(1).map((time, i) => Math.sign(time - (times[i] ?? Number.NaN)))
  return steps.every((step) => step >= 0) || steps.every((step) => step <= 0)
}
