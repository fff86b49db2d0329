import { type Clock, monotonicOf } from '../clock.js'
import { ServiceError } from '../errors/index.js'
import type { CallResult } from '../http/index.js'
import { countsOf, everyPage, type PageBody, readList } from '../pagination/index.js'
import { parseHttpDate } from '../retry/index.js'
import { limits } from '../validation.js'
import { instantOf, type Match, matchOf, type Stored, type WriteQuery } from './match.js'

/** The list to which a write adds its record. */
export interface SearchedList {
  /** List one 1-indexed page of up to 100 rows. */
  page(page: number): Promise<CallResult<PageBody<object>>>
  /**
   * Read one record; undefined if it no longer exists. A ServiceError counts as a record that shows nothing, unless it
   * concerns the key or asks to wait.
   */
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
  /** Records that it may have created: a deciding field is not shown, or only the content differs. At most 100. */
  candidates: Stored[]
}

const maxCandidates = 100

/** Options of `searchWrites`. */
export interface SearchOptions {
  /** The clock of `since`: `monotonic` if it has one, else `now`. */
  clock: Pick<Clock, 'now' | 'monotonic'>
  /**
   * Read the list to its end, to prove that a record is absent. Default false: read the first page and the last two,
   * because the interface does not define an order.
   */
  isThorough?: boolean
  /** Read all pages also where absence is not to be proven, because the record may be of any age. Default false. */
  isWhole?: boolean
  /** Pages of a thorough search. Default 20 000. */
  maxPages?: number
  /** Single records to read, of rows that do not show what decides. Default 20; thorough: 500. */
  maxReads?: number
}

/**
 * Search a list for the records of writes whose outcome is unknown, by stamp, else by fingerprint and content. Resolves to
 * one result per write, in order; only if `complete`, the list holds no other record of them.
 */
export async function searchWrites(
  list: SearchedList,
  writes: readonly LostWrite[],
  options: SearchOptions,
): Promise<{ found: FoundWrite[]; complete: boolean }> {
  const { clock, isThorough, maxPages = 20_000, maxReads = isThorough ? 500 : 20 } = options
  let skewMs = Number.NaN
  const matches = (record: Stored): Match[] =>
    writes.map((write) => matchOf(record, { ...write, notBefore: wholeSecond(write.since + skewMs) }))
  const fetchPage = async (page: number): Promise<PageBody<object>> => {
    const { data, response } = await list.page(page)
    // NaN without a `Date` header: comparisons with it are false.
    if (page === 1) skewMs = dateOf(response, clock) - monotonicOf(clock)
    return data
  }
  const matched = new Map<string, Matched>()
  // The stamp decides, whatever else a row shows.
  const undecided: [match: Match, most: number, rows: Matched[]][] = [
    ['older', maxReads, []],
    ['unlikely', Math.min(maxReads, writes.length + 20), []],
  ]
  // A write with a stamp of its own has one record; the other rows need not be read for it.
  const isFound = writes.map(() => false)
  const keep = (each: Matched) => {
    matched.set(each.record.id, each)
    writes.forEach(({ stamp, isOwnStamp }, i) => {
      if (isOwnStamp === true && stamp?.write !== undefined && each.shown[i] === 'yes') isFound[i] = true
    })
  }
  const add = (rows: readonly object[]): boolean => {
    for (const record of rows as Stored[]) {
      const shown = matches(record)
      if (shown.some((match) => !['no', 'older', 'unlikely'].includes(match))) keep({ record, shown })
      else {
        const [, most = 0, rows] = undecided.find(([match]) => shown.includes(match)) ?? []
        rows?.push({ record, shown })
        // The newest rows are at one of the ends.
        if (rows && rows.length > 2 * most) rows.splice(most, 1)
      }
    }
    return isFound.every(Boolean)
  }
  const complete = await (isThorough ? readAll(fetchPage, add, maxPages) : readEnds(fetchPage, add, options.isWhole))

  const readSingly = async (match: Match, most: number, rows: readonly Matched[]) => {
    let reads = most
    for (const { record, shown } of fromBothEnds(rows)) {
      if (reads === 0 || !shown.some((each, i) => each === match && !isFound[i])) continue
      reads--
      const read = await list.read(record.id).catch(refusedRead)
      const whole = { ...record, ...read }
      // A record that cannot be read may have the stamp.
      keep({
        record: whole,
        shown: read ? matches(whole) : shown.map((each) => (each === 'older' ? 'not shown' : each)),
      })
    }
  }
  await readSingly('not shown', maxReads, [...matched.values()])
  for (const each of undecided) await readSingly(...each)
  const results = writes.map((_, i) => {
    const recordsWith = (match: Match) =>
      [...matched.values()].flatMap(({ record, shown }) => (shown[i] === match ? record : []))
    const records = recordsWith('yes')
    // The service may have changed the content.
    const candidates = [...recordsWith('not shown'), ...(records.length === 0 ? recordsWith('altered') : [])]
    return { records, candidates: candidates.slice(0, maxCandidates) }
  })
  return { found: results, complete }
}

interface Matched {
  record: Stored
  shown: Match[]
}

type FetchPage = (page: number) => Promise<PageBody<object>>
/** Adds the rows of a page; true if every write is found. */
type AddRows = (rows: readonly object[]) => boolean

/** A record that cannot be read shows nothing. */
function refusedRead(error: unknown): undefined {
  if (concernsSearch(error)) throw error
}

/** True if other requests of a search would fail as well: no answer, another key is needed, or the service asks to wait. */
export const concernsSearch = (error: unknown): boolean =>
  !(error instanceof ServiceError) ||
  error.retryAfterMs !== undefined ||
  ['authentication', 'rate_limited'].includes(error.kind)

/** Reads the whole list, or until every write is found, and tells whether no row can be missing. */
async function readAll(fetchPage: FetchPage, add: AddRows, maxPages: number): Promise<boolean> {
  const ids = new Set<string>()
  const first = await readOnce(fetchPage, add, maxPages, (id) => ids.add(id))
  if (!first.isWhole || first.hasAll || first.isCounted || ids.size === 0) return first.isWhole
  // A row that was removed meanwhile moved the others, and perhaps one of them to a page that was read before.
  const second = await readOnce(fetchPage, add, maxPages, (id) => ids.delete(id))
  return second.isWhole && ids.size === 0
}

async function readOnce(fetchPage: FetchPage, add: AddRows, maxPages: number, onId: (id: string) => void) {
  const reading = readList({ isThorough: true, limit: limits.pageSize.max })
  // No row was removed, or as many were added between the same two pages.
  let isCounted = true
  let total = 0
  const counted: FetchPage = async (page) => {
    const body = await fetchPage(page)
    const before = total
    total = countsOf(body.pagination).total ?? Number.NaN
    isCounted &&= total >= before
    return body
  }
  let hasAll = false
  let pages = 0
  for await (const { newItems } of everyPage(counted, reading)) {
    for (const { id } of newItems as Stored[]) onId(id)
    hasAll = add(newItems)
    if (hasAll || ++pages === maxPages) break
  }
  return { isWhole: reading.isWhole, hasAll, isCounted: isCounted && total === reading.seen }
}

/** Reads the first page and the last two: a new record is at one of the ends, if the list has an order. `isWhole`: all pages. */
async function readEnds(fetchPage: FetchPage, add: AddRows, isWhole?: boolean): Promise<false> {
  const reading = readList()
  const { data, pagination } = await fetchPage(1)
  reading.add({ data, pagination })
  if (add(data)) return false
  const { total = 0, limit = data.length } = countsOf(pagination)
  const last = Math.ceil(total / (limit || total))
  try {
    for (let page = isWhole ? 2 : Math.max(2, last - 1); page <= last; page++) add((await fetchPage(page)).data)
  } catch (error) {
    // The total may be too high.
    reading.end(error)
  }
  return false
}

/** The newest rows first; rows without a time alternate from both ends, because the order is not known. */
function fromBothEnds(rows: readonly Matched[]): Matched[] {
  const fromEnd = [...rows].reverse()
  const alternating = new Set(rows.flatMap((row, i) => [row, fromEnd[i] as Matched]))
  return [...alternating].sort((one, other) => timeOf(other.record) - timeOf(one.record) || 0)
}

/** A service may drop the fraction of a second. */
const wholeSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000

/** The service's time, in milliseconds; NaN if it is not shown. */
const dateOf = ({ headers }: Response, clock: SearchOptions['clock']): number =>
  parseHttpDate(headers.get('date') ?? '', clock.now()) ?? Number.NaN

const timeOf = ({ created_at }: Stored): number => instantOf(created_at) ?? -Infinity
