import type { Answered } from '../http/index.js'
import { countsOf } from '../pagination.js'
import { parseHttpDate } from '../retry/index.js'
import { limits } from '../validation/index.js'
import { instantOf, type Match, matchOf, type Stored, type WriteQuery } from './match.js'

/** The list that a write adds its record to. */
export interface SearchedList {
  /** One 1-indexed page of up to 100 rows. */
  page(page: number): Promise<Answered<{ data: readonly object[]; pagination?: unknown }>>
  /** One record whole; undefined where it is gone. */
  read(id: string): Promise<object | undefined>
}

/** A write that is searched for. */
export interface LostWrite extends Omit<WriteQuery, 'notBefore'> {
  /** The instant since which it can have been stored, by our own clock, in milliseconds. */
  since: number
}

/** What was found of a write. */
export interface FoundWrite {
  /** Records that are its work. */
  records: Stored[]
  /** Records that may be: they do not show enough, or, where nothing else is found, hold other content. */
  candidates: Stored[]
}

/** How far a search goes. */
export interface SearchOptions {
  /** Our own clock, in milliseconds. */
  now(): number
  /**
   * Whether it reads the whole list where its order does not show, and 500 records singly where the list does not show
   * what tells them apart. Default false: at most 25 pages, and 20 records.
   */
  isThorough?: boolean
}

/**
 * Searches a list for the records of writes whose outcome is unknown: by their stamps, else by their fingerprints and
 * contents. One answer for each write, in their order; where the list is not `complete`, others may be in it.
 */
export async function searchWrites(
  list: SearchedList,
  writes: readonly LostWrite[],
  { now, isThorough = false }: SearchOptions,
): Promise<{ found: FoundWrite[]; complete: boolean }> {
  const matches = (record: Stored, skewMs: number): Match[] =>
    writes.map((write) => matchOf(record, { ...write, notBefore: wholeSecond(write.since + skewMs) }))
  const since = Math.min(...writes.map((write) => write.since))
  const isWanted = (row: Stored) => matches(row, Number.NaN).some((match) => match !== 'no')
  const { rows, skewMs, complete } = await recentRows(list.page, now, since, isThorough, isWanted)
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
    const that = (match: Match) => results.flatMap(({ record, shown }) => (shown[i] === match ? record : []))
    const records = that('yes')
    // The service may have changed what was written: where nothing else is found, it may be this one.
    return { records, candidates: [...that('not shown'), ...(records.length === 0 ? that('altered') : [])] }
  })
  return { found, complete }
}

/** Pages that are read on, unless the search is thorough. */
const longest = 20

/**
 * The wanted rows of a list that were made since an instant of our own clock. A list is read from both ends, since its
 * order is not shown in the interface: that is looked at. Behind the end with the newest it is read on for as long as
 * others have written meanwhile, until a row is older. Complete: a record that was made since would be among the rows.
 */
export async function recentRows(
  fetchPage: SearchedList['page'],
  now: () => number,
  since: number,
  isThorough: boolean,
  isWanted: (row: Stored) => boolean,
): Promise<{ rows: Stored[]; skewMs: number; complete: boolean }> {
  let total = 0
  /** A list that gets shorter moves rows to pages that were read before. */
  let isSteady = true
  const rowsOf = ({ data: { data, pagination } }: Awaited<ReturnType<typeof fetchPage>>) => {
    const now = countsOf(pagination)?.total ?? 0
    isSteady &&= now >= total
    total = now
    return data as Stored[]
  }
  const answer = await fetchPage(1)
  const first = rowsOf(answer)
  // No number where the service does not tell its time, and nothing is less than that.
  const skewMs = (parseHttpDate(answer.response.headers.get('date') ?? '', now()) ?? Number.NaN) - now()
  const counts = countsOf(answer.data.pagination)
  const last = counts ? Math.ceil(counts.total / (counts.limit ?? limits.pageSize.max)) : 1
  const ends: Stored[] = []
  for (const page of [last - 1, last]) if (page > 1) ends.push(...rowsOf(await fetchPage(page)))
  const isUp = counts !== undefined && isDescending([...first, ...ends].reverse().map(timeOf))
  const fromNewest = (rows: Stored[]) => (isUp ? rows.reverse() : rows)
  const otherEnd = fromNewest(isUp ? first : ends)
  let page = fromNewest(isUp ? ends : first)

  const seen = new Set<string>()
  const wanted = new Map<string, Stored>()
  const see = (row: Stored): void => {
    seen.add(row.id)
    if (isWanted(row)) wanted.set(row.id, row)
  }
  for (const row of otherEnd) see(row)
  /** The times of the rows from the newest on, without those of the other end. */
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
    const isKnown = isWhole || (isOrdered && hasOlder)
    const isOver = counts !== undefined && read > last - 4 && (isUp || !isThorough || seen.size === before)
    const isEnough = !isThorough && (read === longest || (counts !== undefined && !isOrdered))
    if (isKnown || isOver || isEnough) return { rows: [...wanted.values()], skewMs, complete: isKnown && isSteady }
    page = fromNewest(rowsOf(await fetchPage(isUp ? last - 2 - read : read + 2)))
  }
}

/** Whether times come from the newest on; times that are all the same stand in no order. */
function isDescending(times: readonly number[], more: readonly number[] = []): boolean {
  let last = Infinity
  for (const list of [times, more]) {
    for (const time of list) {
      // A time that is not shown is no number, and so in no order.
      if (!(time <= last)) return false
      last = time
    }
  }
  return last < ((times[0] ?? more[0]) as number)
}

/** A service may write its times without a fraction of the second. */
const wholeSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000

/** No number, where it is not shown. */
const timeOf = ({ created_at }: Stored): number => instantOf(created_at) ?? Number.NaN
