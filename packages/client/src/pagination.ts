/** One page of a list: surface B's list body (interface: Resources › Surface B: records). */
export interface Page<T> {
  /** The items of the page, in an order that the interface does not define. */
  data: T[]
  /** 1-indexed page, page size and total items; may be missing if the interface does not show the body. */
  pagination?: { page: number; limit: number; total: number }
  /** Server-side processing time in milliseconds. */
  processing_time_ms: number
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
  fetchPage: (page: number) => Promise<Pick<Page<T>, 'data' | 'pagination'>>,
  limit: number,
  maxItems = Infinity,
): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>()
  if (maxItems <= 0) return
  let given = 0
  let total = 0
  let longest = 0
  let pagesWithoutNew = 0
  for (let page = 1; pagesWithoutNew < maxEmptyPages; page++) {
    const { data, pagination } = await fetchPage(page)
    const before = given
    for (const item of data) {
      const { id } = item as { id?: unknown }
      if (typeof id === 'string') {
        if (seen.has(id)) continue
        seen.add(id)
      }
      if (given >= maxItems) return
      given++
      yield item
    }
    if (given >= maxItems) return
    pagesWithoutNew = given > before ? 0 : pagesWithoutNew + 1
    longest = Math.max(longest, data.length)
    const counted = countsOf(pagination)
    total = Math.max(total, counted?.total ?? 0)
    if (isLast({ page, given, longest, total, size: data.length, limit }, counted)) return
  }
}

/** The counts of a page, if they are numbers. */
export function countsOf(pagination: unknown): { total: number; limit: number | undefined } | undefined {
  const { total, limit } = Object(pagination) as Record<string, unknown>
  if (typeof total !== 'number' || !Number.isFinite(total)) return undefined
  return { total, limit: typeof limit === 'number' && limit >= 1 ? limit : undefined }
}

/** `total` is the largest reported so far. */
type Progress = { page: number; given: number; longest: number; total: number; size: number; limit: number }

function isLast(
  { page, given, longest, total, size, limit }: Progress,
  pagination: ReturnType<typeof countsOf>,
): boolean {
  if (!pagination) return size < limit
  if (given >= total && (size > 0 || page === 1)) return true
  const covered = page * (pagination.limit || limit) >= total
  return covered && (size === 0 || size < longest)
}
