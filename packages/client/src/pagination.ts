/** One page of a list: surface B's list body, whole (interface: Resources › Surface B: records). */
export interface Page<T> {
  /** The items of the page; their order is not shown in the interface. */
  data: T[]
  /** 1-indexed page, page size and items in all; may be missing where the interface does not show the body. */
  pagination?: { page: number; limit: number; total: number }
  /** Server-side processing time in milliseconds. */
  processing_time_ms: number
}

/** Pages in a row that may bring nothing new before a list is taken to be over. */
const patience = 3

/**
 * Every item of a paged list; of those with an id, each once. Assumes no order, survives an empty page in the middle, a
 * total that changes and a server that gives shorter pages than it says; a list without `pagination` ends at a page of
 * fewer than `limit` items. Never loops for ever: three pages in a row that bring nothing new are the end. `break`
 * stops fetching, and so does the item that `maxItems` counts last. `fetchPage` gets 1-indexed numbers; what it throws,
 * this throws.
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
  let barren = 0
  for (let page = 1; barren < patience; page++) {
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
    barren = given > before ? 0 : barren + 1
    longest = Math.max(longest, data.length)
    const counted = countsOf(pagination)
    total = Math.max(total, counted?.total ?? 0)
    if (isLast({ page, given, longest, total, size: data.length, limit }, counted)) return
  }
}

/** The counts of a page where they are numbers; a list that shows none ends at a short page. */
export function countsOf(pagination: unknown): { total: number; limit: number | undefined } | undefined {
  const { total, limit } = Object(pagination) as Record<string, unknown>
  if (typeof total !== 'number' || !Number.isFinite(total)) return undefined
  return { total, limit: typeof limit === 'number' && limit >= 1 ? limit : undefined }
}

/** `total` is the largest that the list has told so far. */
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
