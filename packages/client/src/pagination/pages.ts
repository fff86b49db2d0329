import { InputError } from '../errors/index.js'
import type { ResponsePromise } from '../http/index.js'
import { lazily } from '../lazily.js'
import { notNegative, numberOption } from '../option-values.js'
import type { Pagination } from '../types.js'
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

/** One page of a list. As an async iterable, it gives its items and those of all later pages, each once. */
export interface Page<T> extends ListBody<T>, AsyncIterable<T> {
  /** The number of items in the whole list; undefined if the service does not report it. */
  readonly total: number | undefined
  /** True if the list may go on after this page: it is full, or its total is higher. Sends nothing. */
  hasNextPage(): boolean
  /**
   * Get the next page with the same filters and call options; empty if the service has none. Rejects with an InputError if
   * `hasNextPage()` is false.
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

/** The answer of a list: the page, or as an async iterable its items and those of all later pages, each once. */
export interface PagePromise<T, OfPage extends AsyncIterable<T> = Page<T>>
  extends ResponsePromise<OfPage>,
    AsyncIterable<T> {}

/** Every item of a list, each once. Each iteration reads the list from its first page; `break` stops fetching. */
export interface Items<T, OfPages = Page<T>> extends AsyncIterable<T> {
  /** Collect at most `limit` items. No page is fetched after the last of them. */
  toArray(options: { limit: number }): Promise<T[]>
  /** Iterate over the pages as the service gave them. */
  pages(): AsyncIterable<OfPages>
}

/**
 * Iterate over every item of a paged list, each id once, in any order. `fetchPage` gets a 1-indexed page number. The list ends at a page that is empty, repeated, or shorter than an earlier one; without a further
 * request if its last page is shorter than the limit that the service reports, and its total is reached; at a
 * ServiceError 404 or 400 after the first page; and after three pages without a new item. `break` stops fetching.
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
  yield* itemsOf(everyPage<T, PageBody<T>>(fetchPage, reading), checkedMaxItems(maxItems))
  if (reading.hasEnded) onEnd?.(reading)
}

/** Options of `everyItem`. */
export interface EveryItemOptions {
  /** Stop after this many items. Default: the whole list. */
  maxItems?: number | undefined
  /** Do not let the total and limit of the service end the list; may cost a request more. Default false. */
  isThorough?: boolean | undefined
  /** The page size that is asked for. Only `ListEnd.isWhole` depends on it. */
  limit?: number | undefined
  /** Called after the last item of the list; not if the iteration ends before. */
  onEnd?: ((end: ListEnd) => void) | undefined
}

const checkedMaxItems = (maxItems: number): number =>
  numberOption('maxItems', 'a number that is not negative', maxItems, notNegative)

async function* itemsOf<T>(
  pages: AsyncIterable<{ newItems: T[] }>,
  maxItems: number,
): AsyncGenerator<T, void, undefined> {
  let given = 0
  if (maxItems <= 0) return
  for await (const { newItems } of pages) {
    for (const item of newItems) {
      yield item
      if (++given >= maxItems) return
    }
  }
}

/** The pages of a list from the page `first` to its end, each with the items whose ids no earlier page had. */
export async function* everyPage<T extends object, Body extends PageBody<T>>(
  fetchPage: (page: number) => Promise<Body>,
  reading = readList(),
  first = 1,
): AsyncGenerator<{ page: Body; newItems: T[] }, void, undefined> {
  for (let number = first; !reading.hasEnded; number++) {
    let page: Body
    try {
      page = await fetchPage(number)
    } catch (error) {
      return reading.end(error)
    }
    yield { page, newItems: reading.add(page) }
  }
}

export interface PagedList<P> {
  operation: string
  /** Get a page by its 1-indexed number. */
  fetch(page: number): Promise<P>
}

/** The body of page `number`, kept whole, with the methods of a page. */
export function pageOf<T extends object, P extends PageBody<T>>(
  body: PageBody<T>,
  number: number,
  list: PagedList<P>,
  earlier: ListReading = readList({ first: number }),
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
    try {
      return pageOf<T, P>(await fetch(number + 1), number + 1, list, upToHere)
    } catch (error) {
      upToHere.end(error)
      const { pagination } = body
      const empty = { ...body, data: [], ...(pagination && { pagination: { ...pagination, page: number + 1 } }) }
      return pageOf<T, P>(empty, number + 1, list, upToHere)
    }
  }
  let following: Promise<P> | undefined
  const methods = {
    total: countsOf(body.pagination).total,
    hasNextPage,
    async nextPage(): Promise<P> {
      // Once the next page is there, the reading is beyond this one.
      if (following) return following
      if (!hasNextPage())
        throw new InputError('invalid_input', `${operation}: page ${number} is the last one.`, operation)
      following = next()
      following.catch(() => {
        following = undefined
      })
      return following
    },
    [Symbol.asyncIterator]: () =>
      itemsOf(
        everyPage<T, PageBody<T>>(
          async (page) => (page === number ? body : fetch(page)),
          readList({ first: number }),
          number,
        ),
        Infinity,
      ),
  }
  // Not enumerable, so that a page is printed and written as the body that the service gave.
  const page = { ...body }
  for (const name of Reflect.ownKeys(methods)) Object.defineProperty(page, name, { value: Reflect.get(methods, name) })
  return page as unknown as P
}

/** Lets `for await` iterate over the page of an answer. */
export const iterable = <T, OfPage extends AsyncIterable<T>>(answer: ResponsePromise<OfPage>): PagePromise<T, OfPage> =>
  Object.assign(answer, {
    async *[Symbol.asyncIterator]() {
      yield* await answer
    },
  })

export function itemsOfList<T extends object, P extends PageBody<T>>(
  fetch: PagedList<P>['fetch'],
  maxItems = Infinity,
): Items<T, P> {
  const items = (max: number) => itemsOf(everyPage<T, P>(fetch), Math.min(max, checkedMaxItems(maxItems)))
  return {
    [Symbol.asyncIterator]: () => items(Infinity),
    async toArray(options) {
      const limit: unknown = Object(options).limit
      if (typeof limit !== 'number' || !(limit >= 0))
        throw new InputError('invalid_input', 'toArray: expected a limit, as in toArray({ limit: 1000 }).', 'toArray')
      const all: T[] = []
      for await (const item of items(limit)) all.push(item)
      return all
    },
    async *pages() {
      for await (const { page } of everyPage<T, P>(fetch)) yield page
    },
  }
}
