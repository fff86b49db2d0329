import { inputError, ServiceError } from '../errors/index.js'
import type { ResponsePromise } from '../http/index.js'
import { lazily } from '../lazily.js'
import { numberFrom, numberOption } from '../option-values.js'
import type { CallOptions } from '../options.js'
import type { AllQuery, PageQuery, Pagination } from '../types.js'
import { limits } from '../validation.js'
import { countsOf, type ListEnd, type ListReading, type PageBody, readList } from './list-end.js'

/** The JSON of a page (interface: Resources › Surface B: records). */
export interface ListBody<T> {
  /** The items of the page, in an order that the interface does not define. */
  data: T[]
  /** 1-indexed page, page size and total items. */
  pagination: Pagination
  /** Server-side processing time in milliseconds. */
  processing_time_ms: number
}

/**
 * One page of a list: a plain value, which a framework may serialize; its methods are not enumerable. Only the call, before
 * it is awaited, and `all()` iterate over the items of all pages.
 */
export interface Page<T> extends ListBody<T> {
  /** The number of items in the whole list; undefined if the service does not report it. */
  readonly total: number | undefined
  /** True if the list may go on after this page: it is full, or its total is higher. Sends nothing. */
  hasNextPage(): boolean
  /**
   * Get the next page with the same filters and call options; empty if the service has none. Rejects with an InputError if
   * `hasNextPage()` is false. A call that failed may be repeated.
   */
  nextPage(): Promise<Page<T>>
}

/** A page of a list whose body the interface does not show. */
export interface OpenPage<T> extends Omit<Page<T>, 'pagination' | 'nextPage'> {
  /** 1-indexed page, page size and total items; may be missing. */
  pagination?: Pagination
  /** Get the next page, as `nextPage` of a `Page`. */
  nextPage(): Promise<OpenPage<T>>
}

/**
 * The answer of a list: the page, or as an async iterable its items and those of all later pages, each once. The iteration
 * ends with a ServiceError of kind `unexpected` that has `incomplete` if the service does not give the whole list.
 */
export interface PagePromise<T, OfPage = Page<T>> extends ResponsePromise<OfPage>, AsyncIterable<T> {}

/**
 * Every item of a list, each once. Each iteration reads the list from its first page; `break` stops fetching. It ends with
 * a ServiceError of kind `unexpected` that has `incomplete` if the service does not give the whole list.
 */
export interface Items<T, OfPages = Page<T>> extends AsyncIterable<T> {
  /**
   * Collect at most `limit` items. No page is fetched after the last of them. The error of an incomplete list has the
   * collected `items`.
   */
  toArray(options: { limit: number }): Promise<T[]>
  /** Iterate over the pages that have an item which no earlier page had, as the service gave them; the first one always. */
  pages(): AsyncIterable<OfPages>
}

/**
 * Iterate over every item of a paged list, each id once, in any order. `fetchPage` gets a 1-indexed page number. The list
 * ends at a page that is empty or shorter than an earlier one; without a further request if its last page is shorter than
 * the limit that the service reports, and its total is reached; and at a ServiceError 404 or 400 after the first page.
 * While pages have no new item, because others write or the service repeats itself, it goes on for as many pages as were
 * read before, and three. `break` stops fetching. Throws a ServiceError of kind `unexpected`, with `incomplete`, `seen` and
 * `total`, after the last item of a list that the service did not give whole; an InputError for invalid `maxItems`.
 *
 * @example
 * const fetchPage = (page: number) => svc.transcripts.list(projectId, { page, limit: 50 })
 * for await (const transcript of everyItem(fetchPage)) console.log(transcript.id)
 */
export async function* everyItem<T extends object>(
  fetchPage: (page: number) => Promise<PageBody<T>>,
  { maxItems = Infinity, isThorough, limit, onEnd }: EveryItemOptions = {},
): AsyncGenerator<T, void, undefined> {
  const reading = readList({ isThorough, limit })
  const onLast = onEnd ? () => onEnd(reading) : refuseIncomplete('everyItem', reading)
  yield* itemsOf(everyPage<T, PageBody<T>>(fetchPage, reading), checkedMaxItems(maxItems), onLast)
}

/** Options of `everyItem`. */
export interface EveryItemOptions {
  /** Stop after this many items. Default: the whole list. */
  maxItems?: number | undefined
  /** Do not let the total and limit of the service end the list; may cost a request more. Default false. */
  isThorough?: boolean | undefined
  /** The page size that is asked for. Without it, a repeated page of a service that reports no limit is the end. */
  limit?: number | undefined
  /**
   * Called after the last item of the list, in place of the error of an incomplete list; not if the iteration ends before.
   */
  onEnd?: ((end: ListEnd) => void) | undefined
}

const checkedMaxItems = (maxItems: number): number => numberOption('maxItems', numberFrom(0), maxItems)

const reasons = {
  moved: 'items moved while it was read; read it again',
  short: 'the service gives no more',
}

const refuseIncomplete = (operation: string, reading: ListEnd, items?: readonly unknown[]) => () => {
  const { incomplete, seen, total } = reading
  if (!incomplete) return
  const counted = total && total > seen ? `${seen} of ${total} items` : `${seen} items, some may be missing`
  const message = `${operation}: the list is incomplete: got ${counted}; ${reasons[incomplete]}`
  throw new ServiceError(
    message,
    { operation },
    { status: 200, kind: 'unexpected' },
    { incomplete, seen, total, items },
  )
}

/** The new items of each page, at most `maxItems`; `onLast` is called after the last one of the list. */
async function* itemsOf<T>(
  pages: AsyncIterable<{ newItems: T[] }>,
  maxItems: number,
  onLast: () => void,
): AsyncGenerator<T, void, undefined> {
  let given = 0
  if (maxItems <= 0) return
  for await (const { newItems } of pages) {
    for (const item of newItems) {
      yield item
      if (++given >= maxItems) return
    }
  }
  onLast()
}

/** The pages of a list to its end, each with the items whose ids no earlier page had. */
export async function* everyPage<T extends object, Body extends PageBody<T>>(
  fetchPage: (page: number) => Promise<Body>,
  reading = readList(),
): AsyncGenerator<{ page: Body; newItems: T[] }, void, undefined> {
  for (let number = reading.next(); number !== undefined; number = reading.next()) {
    let page: Body
    try {
      page = await fetchPage(number)
    } catch (error) {
      reading.end(error)
      continue
    }
    yield { page, newItems: reading.add(page) }
  }
}

export interface PagedList<P> {
  operation: string
  /** The page size that is asked for. */
  limit?: number | undefined
  /** Get a page by its 1-indexed number. */
  fetch(page: number): Promise<P>
}

/** The body of page `number`, kept whole, with the total and the methods of a page. */
export function pageOf<T extends object, P extends PageBody<T>>(
  body: PageBody<T>,
  number: number,
  list: PagedList<P>,
  earlier: ListReading = readList({ first: number, limit: list.limit }),
): P {
  const { operation, fetch } = list
  const reading = lazily(() => {
    earlier.add(body)
    return earlier
  })
  // As it is at this page: the reading goes on with later ones.
  const hasNextPage = lazily(() => !reading().hasEnded)
  const next = async (): Promise<P> => {
    const upToHere = reading()
    const nextBody: PageBody<T> = await fetch(number + 1).catch((error: unknown) => {
      upToHere.end(error)
      const { pagination } = body
      return { ...body, data: [], ...(pagination && { pagination: { ...pagination, page: number + 1 } }) }
    })
    return pageOf<T, P>(nextBody, number + 1, list, upToHere)
  }
  let following: Promise<P> | undefined
  const nextPage = async (): Promise<P> => {
    // Once the next page is there, the reading is beyond this one.
    if (following) return following
    if (!hasNextPage()) throw inputError(operation, `page ${number} is the last one`)
    following = next()
    following.catch(() => {
      following = undefined
    })
    return following
  }
  const page = { ...body, total: countsOf(body.pagination).total }
  // Not enumerable, so that a page can be serialized.
  return Object.defineProperties(page, {
    hasNextPage: { value: hasNextPage },
    nextPage: { value: nextPage },
  }) as unknown as P
}

/** Sends the request of one page; `pick` makes the page from its body. */
type RequestPage<T, P, Query> = (
  query: Query,
  options: CallOptions | undefined,
  pick: (body: PageBody<T>) => P,
) => ResponsePromise<P>

/** The methods of a paged list: one page, and every item. */
export function listMethods<T extends object, P extends PageBody<T>, Query extends PageQuery>(
  operation: string,
  request: RequestPage<T, P, Query>,
) {
  const { max, default: pageSize } = limits.pageSize
  const list = (query?: Query, options?: CallOptions): PagePromise<T, P> => {
    const first = query?.page ?? 1
    const paged: PagedList<P> = {
      operation,
      limit: query?.limit ?? pageSize,
      fetch: (page) => list({ ...(query as Query), page }, options),
    }
    const answer = request(query ?? ({} as Query), options, (body) => pageOf(body, first, paged))
    return iterable(answer, paged, first)
  }
  const all = (query?: Omit<Query, 'page'> & AllQuery, options?: CallOptions): Items<T, P> => {
    const { maxItems, ...filters } = (query ?? {}) as Query & AllQuery
    const limit = Math.min(filters.limit ?? max, max)
    const fetch = (page: number) => list({ ...(filters as Query), page, limit }, options)
    return itemsOfList({ operation, limit, fetch }, maxItems)
  }
  return { list, all }
}

/** Lets `for await` iterate over the items of an answer, whose page has this number, and of all later pages. */
export const iterable = <T extends object, P extends PageBody<T>>(
  answer: ResponsePromise<P>,
  list: PagedList<P>,
  first: number,
): PagePromise<T, P> =>
  Object.assign(answer, {
    async *[Symbol.asyncIterator]() {
      let ready: Promise<P> | undefined = answer
      const fetch = (page: number) => {
        const next = ready ?? list.fetch(page)
        ready = undefined
        return next
      }
      yield* readItems<T, P>({ ...list, fetch }, readList({ first, limit: list.limit }))
    },
  })

/** The items of a list that begins at the first page of the reading; `collected` is shown by the error of an incomplete one. */
const readItems = <T extends object, P extends PageBody<T>>(
  { operation, fetch }: PagedList<P>,
  reading: ListReading,
  maxItems = Infinity,
  collected?: readonly T[],
) => itemsOf(everyPage<T, P>(fetch, reading), maxItems, refuseIncomplete(operation, reading, collected))

/** Every item of a list; each iteration reads it again. */
export function itemsOfList<T extends object, P extends PageBody<T>>(
  list: PagedList<P>,
  maxItems = Infinity,
): Items<T, P> {
  const { limit: pageSize } = list
  const items = (limit: number, collected?: readonly T[]) =>
    readItems<T, P>(list, readList({ limit: pageSize }), Math.min(limit, checkedMaxItems(maxItems)), collected)
  return {
    [Symbol.asyncIterator]: () => items(Infinity),
    async toArray(options) {
      const limit: unknown = Object(options).limit
      if (!(typeof limit === 'number' && limit >= 0))
        throw inputError('toArray', 'expected a limit, as in toArray({ limit: 1000 })')
      const all: T[] = []
      for await (const item of items(limit, all)) all.push(item)
      return all
    },
    async *pages() {
      const reading = readList({ limit: pageSize })
      let isFirst = true
      for await (const { page, newItems } of everyPage<T, P>(list.fetch, reading)) {
        if (isFirst || newItems.length > 0) yield page
        isFirst = false
      }
      refuseIncomplete(list.operation, reading)()
    },
  }
}
