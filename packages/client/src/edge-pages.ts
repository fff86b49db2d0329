import type { Answered } from './answered.js'
import { instantOf, type Stored } from './match.js'
import { countsOf } from './page.js'
import { parseHttpDate } from './retry-after.js'

type ListPage = Answered<{ data: { id: string }[]; pagination?: unknown }>

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
  // False where either clock is not shown: nothing is less than what is no number.
  const isOlder = ({ created_at }: Stored) =>
    (instantOf(created_at) as number) < wholeSecond(since + (skewMs as number))
  const counts = countsOf(first.data.pagination)
  const last = counts ? Math.ceil(counts.total / (counts.limit ?? lookLimit)) : 1
  const ends = await Promise.all([last - 1, last].filter((page) => page > 1).map(fetchPage))
  const isUp = counts !== undefined && stepsOf(distinct([first, ...ends])) === 'up'
  // Kept as the list has them, so that the order of its rows shows.
  let newest = isUp ? ends : [first]
  for (let read = 0, before = 0; ; read++) {
    const rows = distinct(isUp ? [first, ...newest] : [...newest, ...ends])
    const isOrdered = stepsOf(rows) === (isUp ? 'up' : 'down')
    const isWhole = counts ? rows.length >= counts.total : rows.length === before
    const complete = isWhole || (isOrdered && distinct(newest).some(isOlder))
    if (complete || read === longest || (counts && (!isOrdered || read > last - 4))) return { rows, skewMs, complete }
    before = rows.length
    const more = await fetchPage(isUp ? last - 2 - read : read + 2)
    newest = isUp ? [more, ...newest] : [...newest, more]
  }
}

/** A service may write its times without a fraction of the second. */
export const wholeSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000

/** Pages that are read on. */
const longest = 20

const distinct = (pages: ListPage[]): Stored[] => [
  ...new Map(pages.flatMap((page) => page.data.data).map((row) => [row.id, row as Stored])).values(),
]

/** Whether rows stand in the order of their time; rows that are all of one time stand in none. */
function stepsOf(rows: readonly Stored[]): 'up' | 'down' | 'none' {
  // A time that is not shown makes a step that is no number, and so no order.
  const times = rows.map((row) => instantOf(row.created_at) as number)
  const steps = times.slice(1).map((time, i) => Math.sign(time - (times[i] as number)))
  if (steps.every((step) => step >= 0) && steps.includes(1)) return 'up'
  return steps.every((step) => step <= 0) && steps.includes(-1) ? 'down' : 'none'
}
