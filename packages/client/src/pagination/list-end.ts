import { ServiceError } from '../errors/index.js'
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

/** The list ends after this many pages in a row without a new item. */
const maxPagesWithoutNew = 3

/** How much of a list was seen. */
export interface ListEnd {
  /**
   * True if no item is missing: the list has ended at an empty, repeated or missing page, or at one shorter than an
   * earlier one, and shows no fewer items than its total. A total or a limit alone proves nothing, because services cap
   * both silently; nor does a full page that is repeated.
   */
  readonly isWhole: boolean
  /**
   * True if items are certainly or possibly missing: the list shows fewer than its total, the service repeated a full page
   * or refused to read on after one, or items moved from page to page, so that others may have been passed over.
   */
  readonly isShort: boolean
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
  let seen = 0
  /** Items given, with those that came twice. */
  let given = 0
  let firstTotal: number | undefined
  let total: number | undefined
  let pageSize: number | undefined
  let longest = 0
  let withoutNew = 0
  let previous: string | undefined
  let hasEnded = false
  let isProven = false
  let isCut = false
  /** True if the last page has room for more items. */
  let hasRoom = false

  const isNew = ({ id }: { id?: unknown }): boolean => {
    if (typeof id !== 'string' && typeof id !== 'number') return true
    return ids.size < ids.add(String(id)).size
  }
  /** The items up to here, with those of the pages before the first. */
  const position = () => seen + (first - 1) * (pageSize ?? longest)

  /** If items moved between pages, they came twice; that no other was passed over, only a total can tell. */
  const isSteady = () => given === seen || (total !== undefined && total >= given)

  return {
    get hasEnded() {
      return hasEnded
    },
    get isWhole() {
      return isProven && isSteady() && seen >= (firstTotal ?? 0)
    },
    get isShort() {
      return !isSteady() || isCut || seen < (firstTotal ?? 0)
    },
    get seen() {
      return seen
    },
    get total() {
      return total
    },
    add<T extends object>({ data, pagination }: PageBody<T>): T[] {
      number++
      const counts = countsOf(pagination)
      pageSize = counts.limit
      firstTotal ??= counts.total
      if (counts.total !== undefined) total = Math.max(total ?? 0, counts.total)

      const size = data.length
      const shown = JSON.stringify(data.map((item: { id?: unknown }) => item.id ?? item))
      const isRepeated = size > 0 && shown === previous
      previous = shown
      const newItems = isRepeated ? [] : data.filter(isNew)
      seen += newItems.length
      if (!isRepeated) given += size
      withoutNew = newItems.length > 0 ? 0 : withoutNew + 1
      const isShorter = size < longest
      longest = Math.max(longest, size)

      const hasMorePages = total !== undefined && position() < total && number * (pageSize ?? longest) < total
      hasRoom = size < (pageSize ?? limit)
      isProven = (size === 0 || isShorter || (isRepeated && hasRoom)) && !hasMorePages
      const isCounted = pageSize !== undefined && size < pageSize && position() === counts.total
      const isOver = isRepeated && !hasMorePages
      isCut ||= isOver && !isProven
      hasEnded ||= isProven || isOver || (isCounted && !isThorough) || withoutNew >= maxPagesWithoutNew
      return newItems
    },
    end(error) {
      const { status } = error instanceof ServiceError ? error : {}
      if (number < 1 || (status !== 404 && status !== 400)) throw error
      hasEnded = true
      // After a full page, the service may also refuse to read further, such as beyond its largest offset.
      isProven = status === 404 && hasRoom
      isCut = !isProven && !(hasRoom && position() === total)
    },
  }
}
