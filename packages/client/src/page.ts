/** One page of a list: shape of surface B's list bodies. `pagination` may be missing where the interface is silent. */
export interface Page<T> {
  data: T[]
  pagination?: { page: number; limit: number; total: number }
  processing_time_ms: number
}

/** Pages in a row that may bring nothing new before a list is taken to be over. */
const patience = 3

/**
 * Every item of a paged list, each id once. Assumes no order, survives an empty page in the middle and a total that
 * changes; a list without `pagination` ends at a short page. Never loops for ever; `break` stops fetching.
 */
export async function* everyItem<T extends { id: string }>(
  fetchPage: (page: number) => Promise<Pick<Page<T>, 'data' | 'pagination'>>,
  limit: number,
): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>()
  let barren = 0
  for (let page = 1; barren < patience; page++) {
    const { data, pagination } = await fetchPage(page)
    const fresh = data.filter(({ id }) => !seen.has(id))
    barren = fresh.length > 0 ? 0 : barren + 1
    for (const item of fresh) {
      seen.add(item.id)
      yield item
    }
    const last = pagination ? page * (pagination.limit || limit) >= pagination.total : data.length < limit
    if (last) return
  }
}
