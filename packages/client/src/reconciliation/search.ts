import type { Clock } from '../clock.js'
import type { Answered } from '../http/index.js'
import { countsOf } from '../pagination.js'
import { parseHttpDate } from '../retry/index.js'
import { limits } from '../validation.js'
import { instantOf, type Match, matchOf, type Stored, type WriteQuery } from './match.js'

/** The list to which a write adds its record. */
export interface SearchedList {
  /** List one 1-indexed page of up to 100 rows. */
  page(page: number): Promise<Answered<{ data: readonly object[]; pagination?: unknown }>>
  /** Read one record; undefined if it no longer exists. */
  read(id: string): Promise<object | undefined>
}

/** A write to search for. */
export interface LostWrite extends Omit<WriteQuery, 'notBefore'> {
  /** The earliest time at which it can have been stored, by the clock of the search, in milliseconds. */
  since: number
}

/** The records found for one write. */
export interface FoundWrite {
  /** Records that this write created. */
  records: Stored[]
  /** Records that it may have created: a deciding field is not shown, or only the content differs. */
  candidates: Stored[]
}

/** Options of `searchWrites`. */
export interface SearchOptions {
  /** The clock of `since`: `monotonic` if it has one, else `now`. */
  clock: Pick<Clock, 'now' | 'monotonic'>
  /** Read the whole list if its order is unclear, and up to 500 single records. Default false: 25 pages, 20 records. */
  isThorough?: boolean
}

/**
 * Search a list for the records of writes whose outcome is unknown, by stamp, else by fingerprint and content. Resolves to
 * one result per write, in order; if not `complete`, the list may contain more.
 */
export async function searchWrites(
  list: SearchedList,
  writes: readonly LostWrite[],
  options: SearchOptions,
): Promise<{ found: FoundWrite[]; complete: boolean }> {
  const { clock, isThorough = false } = options
  const matches = (record: Stored, skewMs: number): Match[] =>
    writes.map((write) => matchOf(record, { ...write, notBefore: wholeSecond(write.since + skewMs) }))
  const since = Math.min(...writes.map((write) => write.since))
  const isWanted = (row: Stored) => matches(row, Number.NaN).some((match) => match !== 'no')
  const { rows, skewMs, complete } = await recentRows(list.page, clock, since, isThorough, isWanted)
  let reads = isThorough ? 500 : 20
  const results: { record: Stored; shown: Match[] }[] = []
  for (const row of rows) {
    const shown = matches(row, skewMs)
    const read = shown.includes('not shown') && reads-- > 0 ? await list.read(row.id) : row
    if (!read) continue
    const record = { ...row, ...read }
    results.push({ record, shown: matches(record, skewMs) })
  }
  const found = writes.map((_, i) => {
    const recordsWith = (match: Match) => results.flatMap(({ record, shown }) => (shown[i] === match ? record : []))
    const records = recordsWith('yes')
    // The service may have changed the content.
    return {
      records,
      candidates: [...recordsWith('not shown'), ...(records.length === 0 ? recordsWith('altered') : [])],
    }
  })
  return { found, complete }
}

/** Further pages to read, unless the search is thorough. */
const maxFurtherPages = 20

/**
 * Finds the wanted rows of a list that were created since an instant. The interface does not define an order: reads both
 * ends of the list, and from the newest end on until a row is older. `complete` if no row since then can be missing.
 */
export async function recentRows(
  fetchPage: SearchedList['page'],
  clock: SearchOptions['clock'],
  since: number,
  isThorough: boolean,
  isWanted: (row: Stored) => boolean,
): Promise<{ rows: Stored[]; skewMs: number; complete: boolean }> {
  let total = 0
  /** A list that gets shorter moves rows to pages that are already read. */
  let isSteady = true
  const rowsOf = ({ data: { data, pagination } }: Awaited<ReturnType<typeof fetchPage>>) => {
    const now = countsOf(pagination)?.total ?? 0
    isSteady &&= now >= total
    total = now
    return data as Stored[]
  }
  const answer = await fetchPage(1)
  const first = rowsOf(answer)
  // NaN without a `Date` header: comparisons with it are false.
  const serverNow = parseHttpDate(answer.response.headers.get('date') ?? '', clock.now()) ?? Number.NaN
  const skewMs = serverNow - (clock.monotonic?.() ?? clock.now())
  const counts = countsOf(answer.data.pagination)
  const last = counts ? Math.ceil(counts.total / (counts.limit ?? limits.pageSize.max)) : 1
  const ends: Stored[] = []
  for (const page of [last - 1, last]) if (page > 1) ends.push(...rowsOf(await fetchPage(page)))
  const isAscending = counts !== undefined && isDescending([...first, ...ends].reverse().map(timeOf))
  const fromNewest = (rows: Stored[]) => (isAscending ? rows.reverse() : rows)
  const otherEnd = fromNewest(isAscending ? first : ends)
  let page = fromNewest(isAscending ? ends : first)

  const seen = new Set<string>()
  const wanted = new Map<string, Stored>()
  const see = (row: Stored): void => {
    seen.add(row.id)
    if (isWanted(row)) wanted.set(row.id, row)
  }
  for (const row of otherEnd) see(row)
  /** Times of the rows from the newest, without the other end. */
  const times: number[] = []
  let hasOlder = false
  for (let read = 0; ; read++) {
    const before = seen.size
    for (const row of page) {
      if (!seen.has(row.id)) times.push(timeOf(row))
      hasOlder ||= timeOf(row) < wholeSecond(since + skewMs)
      see(row)
    }
    const isOrdered = isDescending(times, otherEnd.map(timeOf))
    const isWhole = counts ? seen.size >= counts.total : seen.size === before
    const isComplete = isWhole || (isOrdered && hasOlder)
    const isOver = counts !== undefined && read > last - 4 && (isAscending || !isThorough || seen.size === before)
    const isEnough = !isThorough && (read === maxFurtherPages || (counts !== undefined && !isOrdered))
    if (isComplete || isOver || isEnough)
      return { rows: [...wanted.values()], skewMs, complete: isComplete && isSteady }
    page = fromNewest(rowsOf(await fetchPage(isAscending ? last - 2 - read : read + 2)))
  }
}

/** True for times from newest to oldest; equal times have no order. */
function isDescending(times: readonly number[], more: readonly number[] = []): boolean {
  let last = Infinity
  for (const list of [times, more]) {
    for (const time of list) {
      // NaN, a time that is not shown, has no order.
      if (!(time <= last)) return false
      last = time
    }
  }
  return last < ((times[0] ?? more[0]) as number)
}

/** A service may drop the fraction of a second. */
const wholeSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000

/** NaN if it is not shown. */
const timeOf = ({ created_at }: Stored): number => instantOf(created_at) ?? Number.NaN
