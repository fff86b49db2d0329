import { type Incomplete, ServiceError } from '../errors/index.js'
import { isObject } from '../json.js'
import type { Pagination } from '../types.js'

/** The fields of a page that decide whether its list goes on. */
export interface PageBody<T> {
  /** The items of the page. */
  data: T[]
  /** 1-indexed page, page size and total items; may be missing. */
  pagination?: Pagination | undefined
}

/** The counts of a page; undefined for one that is missing or no count, such as -1 or a text. */
export function countsOf(pagination: unknown): { total: number | undefined; limit: number | undefined } {
  const { total, limit } = isObject(pagination) ? pagination : {}
  const countFrom = (value: unknown, least: number) =>
    typeof value === 'number' && value >= least && Number.isFinite(value) ? value : undefined
  return { total: countFrom(total, 0), limit: countFrom(limit, 1) }
}

/** How much of a list was seen. */
export interface ListEnd {
  /**
   * True if no item is missing: the list has ended at an empty, repeated or missing page, or at one shorter than an
   * earlier one, and shows no fewer items than its total. A total or a limit alone proves nothing, because services cap
   * both silently; nor does a full page that is repeated.
   */
  readonly isWhole: boolean
  /** Why items are missing, or may be; undefined if none is known to be. */
  readonly incomplete: Incomplete | undefined
  /** The number of items seen, each id once. */
  readonly seen: number
  /** The largest total that a page reported. */
  readonly total: number | undefined
}

export interface ListReading extends ListEnd {
  /** True after the last page. */
  readonly hasEnded: boolean
  /** Add the next page, and get the items whose ids no earlier page had. */
  add<T extends object>(page: PageBody<T>): T[]
  /** End the list at a 404 or 400 after the first page. Throws any other error. */
  end(error: unknown): void
  /** The number of the page to read next; undefined if the list has ended. Reads its tail again if its total says more. */
  next(): number | undefined
}

interface ReadingOptions {
  /** The 1-indexed page to begin with. Default 1. */
  first?: number
  /** Go on until nothing can be missing: the counts of the service alone do not end the list. Default false. */
  isThorough?: boolean | undefined
  /** The page size that was asked for, if the service reports none. */
  limit?: number | undefined
}

/** Read a list page by page. The one rule that says where a list ends. */
export function readList({ first = 1, isThorough = false, limit = Infinity }: ReadingOptions = {}): ListReading {
  // One function: the rule of the end is one expression of all that was counted.
  const ids = new Set<string>()
  let number = first - 1
  let pages = 0
  let seen = 0
  /** Items that came twice on one page. */
  let doubled = 0
  /** Items that an earlier page had, of pages that do not repeat the page before. */
  let again = 0
  let firstTotal: number | undefined
  let lastTotal: number | undefined
  let total: number | undefined
  let pageSize: number | undefined
  let longest = 0
  /** Pages in a row without a new item. */
  let withoutNew = 0
  /** All of them repeat the page before. */
  let isRepeating = false
  let previous: string | undefined
  let firstShown: string | undefined
  let lastWithItems = first
  let isSecondReading = false
  let hasEnded = false
  let isProven = false
  let isCut = false
  let hasMoved = false
  /** The items that the service counts after each page. */
  const remaining: number[] = []
  /** The total has fallen: items were removed, and others may have moved to a page that was read before. */
  let hasFallen = false
  /** True if the last page has room for more items. */
  let hasRoom = false

  const isNew = ({ id }: { id?: unknown }): boolean => {
    if (typeof id !== 'string' && typeof id !== 'number') return true
    return ids.size < ids.add(String(id)).size
  }
  const wasSeen = ({ id }: { id?: unknown }): boolean => ids.has(String(id))
  /** The items up to here, with those of the pages before the first. */
  const position = () => seen + doubled + (first === 1 ? 0 : (first - 1) * (pageSize ?? (longest || Infinity)))
  const isBelowTotal = () => position() < ((hasFallen ? total : firstTotal) ?? 0)
  /** If items moved between pages, they came twice; that no other was passed over, only a total can tell. */
  const isSteady = () => again === 0 || (total !== undefined && total >= seen + doubled + again)

  return {
    get hasEnded() {
      return hasEnded
    },
    get isWhole() {
      return isProven && !isCut && isSteady() && !isBelowTotal()
    },
    get incomplete() {
      if (isSteady() && !isCut && !isBelowTotal()) return undefined
      return hasMoved || again > 0 ? 'moved' : 'short'
    },
    get seen() {
      return seen
    },
    get total() {
      return total
    },
    add<T extends object>({ data, pagination }: PageBody<T>): T[] {
      number++
      pages++
      const counts = countsOf(pagination)
      pageSize = counts.limit
      firstTotal ??= counts.total
      if (counts.total !== undefined) {
        hasMoved ||= lastTotal !== undefined && counts.total !== lastTotal
        hasFallen ||= lastTotal !== undefined && counts.total < lastTotal
        lastTotal = counts.total
        total = Math.max(total ?? 0, counts.total)
      }
      const size = data.length
      if (size > 0) lastWithItems = number
      const shown = JSON.stringify(data.map((item: { id?: unknown }) => item.id ?? item))
      const isRepeated = size > 0 && shown === previous
      previous = shown
      const seenBefore = isRepeated ? size : data.filter(wasSeen).length
      const newItems = isRepeated ? [] : data.filter(isNew)
      seen += newItems.length
      doubled += size - seenBefore - newItems.length
      // Behind the end that its counts give, the service may show its first page.
      firstShown ??= shown
      const isBehind = shown === firstShown && counts.total === position()
      if (!isRepeated && !isSecondReading && !isBehind) again += seenBefore
      if (newItems.length > 0) {
        hasMoved ||= isRepeating || isSecondReading
        withoutNew = 0
        isRepeating = false
      } else {
        isRepeating = isRepeated && (withoutNew === 0 || isRepeating)
        withoutNew++
      }
      const isShorter = size < longest
      longest = Math.max(longest, size)
      const hasMorePages = total !== undefined && position() < total && number * (pageSize ?? longest) < total
      hasRoom = size < (pageSize ?? limit)
      // Others may write so much meanwhile that whole pages move behind those that were read.
      const isEnough = withoutNew > 0 && withoutNew >= pages - withoutNew + 3
      isProven = (size === 0 || isShorter || (isEnough && isRepeating && hasRoom)) && !hasMorePages
      isCut ||= isEnough && !isProven && position() !== total
      // Others may also write faster than the list is read: then its end is farther away than half of the pages ago. Some
      // services count one more than the items so far: its end stays where it is.
      const left = (total ?? 0) - number * (pageSize ?? longest)
      remaining.push(left)
      const isLong = pages > 2 * Math.ceil((firstTotal ?? 0) / (pageSize ?? longest)) + 3
      const isOutrun = isLong && left > (remaining[pages >> 1] as number)
      hasMoved ||= isOutrun
      isCut ||= isOutrun
      const isCounted = pageSize !== undefined && size < pageSize && position() === counts.total
      hasEnded = isProven || isEnough || isOutrun || (isCounted && !isThorough)
      return newItems
    },
    end(error) {
      const { status } = error instanceof ServiceError ? error : {}
      if (number < 1 || (status !== 404 && status !== 400)) throw error
      hasEnded = true
      // After a full page, the service may also refuse to read further, such as beyond its largest offset.
      isProven = status === 404 && hasRoom
    },
    next() {
      if (!hasEnded) return number + 1
      // A list may lag behind its total. If items were removed, those that are missing may be anywhere.
      if (isSecondReading || isCut || hasFallen || !isBelowTotal()) return undefined
      isSecondReading = true
      hasEnded = false
      withoutNew = 0
      isRepeating = false
      previous = undefined
      number = lastWithItems - 1
      return lastWithItems
    },
  }
}
