import type { Page } from '@svc/client'
import type { Context } from '../context.js'
import { count } from '../text.js'

export async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** A list that stops at a page says so, or its reader takes it for the whole. */
export function tellRest(context: Context, { data, pagination }: Pick<Page<unknown>, 'data' | 'pagination'>): void {
  if (!pagination || pagination.total <= data.length) return
  context.say(`${data.length} of ${count(pagination.total, 'item')} (page ${pagination.page}); --all shows the rest`)
}
