import { InputError } from './errors/index.js'
import type { Answer } from './http/index.js'
import type { Pagination } from './types.js'

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
  /** True if the list may go on after this page. Sends nothing. */
  hasNextPage(): boolean
  /** Get the next page with the same filters and call options. Rejects with an InputError if there is none. */
  nextPage(): Promise<Page<T>>
}

/** A page of a list whose body the interface does not show. */
export interface OpenPage<T> extends Omit<Page<T>, 'pagination' | 'nextPage'> {
  /** 1-indexed page, page size and total items; may be missing. */
  pagination?: Pagination
  /** Get the next page with the same filters and call options. Rejects with an InputError if there is none. */
  nextPage(): Promise<OpenPage<T>>
}

/** The answer of a list: the page, or as an async iterable its items and those of all later pages, each once. */
export interface PageAnswer<T, OfPage extends AsyncIterable<T> = Page<T>> extends Answer<OfPage>, AsyncIterable<T> {}

/** Every item of a list, each once. Each iteration reads the list from its first page; `break` stops fetching. */
export interface Items<T, OfPages = Page<T>> extends AsyncIterable<T> {
  /** Collect at most `limit` items. No page is fetched after the last of them. */
  toArray(options: { limit: number }): Promise<T[]>
  /** Iterate over the pages as the service gave them. */
  pages(): AsyncIterable<OfPages>
}

/** The fields of a page that `everyItem` reads. */
export interface PageBody<T> {
  /** The items of the page. */
  data: T[]
  /** 1-indexed page, page size and total items; may be missing. */
  pagination?: Pagination | undefined
}

/** The list ends after this many pages in a row without a new item. */
const maxEmptyPages = 3

/**
 * Iterate over every item of a paged list, each id once, in any order, up to `maxItems`. `fetchPage` gets a 1-indexed page
 * number. Tolerates empty and short pages and a changing total; a list without `pagination` ends at a page of fewer than
 * `limit` items, every list after three pages without a new item. `break` stops fetching.
 *
 * @example
 * const fetchPage = (page: number) => svc.transcripts.list(projectId, { page, limit: 50 })
 * for await (const transcript of everyItem(fetchPage, 50)) console.log(transcript.id)
 */
export async function* everyItem<T extends object>(
  fetchPage: (page: number) => Promise<PageBody<T>>,
  limit: number,
  maxItems = Infinity,
): AsyncGenerator<T, void, undefined> {
  yield* itemsOf(everyPage<T, PageBody<T>>(fetchPage, limit), maxItems)
}

/** The items of pages, up to `maxItems`. */
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
async function* everyPage<T extends object, Body extends PageBody<T>>(
  fetchPage: (page: number) => Promise<Body>,
  limit: number,
  first = 1,
): AsyncGenerator<{ page: Body; newItems: T[] }, void, undefined> {
  const seen = new Set<string>()
  let given = 0
  let total = 0
  let longest = 0
  let pagesWithoutNew = 0
  for (let number = first; pagesWithoutNew < maxEmptyPages; number++) {
    const page = await fetchPage(number)
    const size = page.data.length
    const newItems = page.data.filter((item) => isNew(item, seen))
    yield { page, newItems }
    given += newItems.length
    pagesWithoutNew = newItems.length > 0 ? 0 : pagesWithoutNew + 1
    longest = Math.max(longest, size)
    const counts = countsOf(page.pagination)
    total = Math.max(total, counts?.total ?? 0)
    const skipped = (first - 1) * (counts?.limit ?? 0)
    if (isLast({ number, given: given + skipped, longest, total, size, limit }, counts)) return
  }
}

function isNew(item: object, seen: Set<string>): boolean {
  const { id } = item as { id?: unknown }
  if (typeof id !== 'string') return true
  if (seen.has(id)) return false
  seen.add(id)
  return true
}

interface Counts {
  total: number
  limit: number | undefined
}

/** The counts of a page, if they are numbers. */
export function countsOf(pagination: unknown): Counts | undefined {
  const { total, limit } = Object(pagination) as Record<string, unknown>
  if (typeof total !== 'number' || !Number.isFinite(total)) return undefined
  return { total, limit: typeof limit === 'number' && limit >= 1 ? limit : undefined }
}

/** `total` is the largest reported so far. */
type Progress = { number: number; given: number; longest: number; total: number; size: number; limit: number }

function isLast({ number, given, longest, total, size, limit }: Progress, counts: Counts | undefined): boolean {
  if (!counts) return size < limit
  if (given >= total && (size > 0 || number === 1)) return true
  const covered = number * (counts.limit || limit) >= total
  return covered && (size === 0 || size < longest)
}

/** A list that is read page by page. */
export interface PagedList<P> {
  /** The method that reads a page. */
  operation: string
  /** The page size that the service applies if it reports none. */
  limit: number
  /** Get a page by its 1-indexed number. */
  fetch(page: number): Promise<P>
}

/** The body of page `number`, kept whole, with the methods of a page. */
export function pageOf<T extends object, P extends PageBody<T>>(
  body: PageBody<T>,
  number: number,
  { operation, limit, fetch }: PagedList<P>,
): P {
  const counts = countsOf(body.pagination)
  const size = body.data.length
  const hasNextPage = () => (counts ? number * (counts.limit ?? (size || limit)) < counts.total : size >= limit)
  const methods = {
    total: counts?.total,
    hasNextPage,
    async nextPage() {
      if (hasNextPage()) return fetch(number + 1)
      throw new InputError('invalid_input', `${operation}: page ${number} is the last one.`, operation)
    },
    [Symbol.asyncIterator]: () =>
      itemsOf(
        everyPage<T, PageBody<T>>(async (page) => (page === number ? body : fetch(page)), limit, number),
        Infinity,
      ),
  }
  // Not enumerable, so that a page is printed and written as the body that the service gave.
  const page = { ...body }
  for (const name of Reflect.ownKeys(methods)) Object.defineProperty(page, name, { value: Reflect.get(methods, name) })
  return page as unknown as P
}

/** Lets `for await` iterate over the page of an answer. */
export const iterable = <T, OfPage extends AsyncIterable<T>>(answer: Answer<OfPage>): PageAnswer<T, OfPage> =>
  Object.assign(answer, {
    async *[Symbol.asyncIterator]() {
      yield* await answer
    },
  })

/** Every item of a list, up to `maxItems`. */
export function itemsOfList<T extends object, P extends PageBody<T>>(
  { fetch, limit }: Omit<PagedList<P>, 'operation'>,
  maxItems = Infinity,
): Items<T, P> {
  const items = (max: number) => itemsOf(everyPage<T, P>(fetch, limit), Math.min(max, maxItems))
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
      for await (const { page } of everyPage<T, P>(fetch, limit)) yield page
    },
  }
}
