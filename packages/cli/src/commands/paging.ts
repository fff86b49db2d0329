import type { PageBody } from '@svc/client'
import type { Context } from '../context.js'
import { refuseMalformed, wrongFields, wrongItems } from '../errors/index.js'
import { type Column, printJson, printRows } from '../output/index.js'
import { count } from '../terminal/index.js'

/** A list as a command shows it: how to get it, and an item as a row under a header. */
export interface Listing<T> {
  /** The name of its JSON document. */
  schema: string
  page(): Promise<PageBody<T>>
  all(): AsyncIterable<T>
  noun: string
  columns: readonly Column[]
  row(item: T): string[]
}

/** Shows one page of a list, or with `all` the whole of it. */
export async function showList<T>(context: Context, all: boolean | undefined, list: Listing<T>): Promise<undefined> {
  const shown: PageBody<T> = all ? { data: await gather(list.all()) } : await list.page()
  const { data, pagination } = shown
  refuseMalformed([
    // A document shows a row as it came.
    ...(context.flags.json ? [] : wrongItems(data, '/data', { id: 'a text' })),
    ...(pagination === undefined
      ? []
      : wrongFields(pagination, '/pagination', { page: 'a number', total: 'a number' })),
  ])
  if (context.flags.json) printJson(context, { schema: list.schema, ...shown })
  else await printRows(context, list.columns, data.map(list.row))
  reportRest(context, shown, list.noun)
}

async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Report that a list is not complete. */
function reportRest(context: Context, { data, pagination }: PageBody<unknown>, noun: string): void {
  if (data.length === 0 && !pagination?.total) return context.say(`no ${noun}s`)
  if (!pagination || pagination.total <= data.length) return
  if (data.length === 0)
    return context.say(`page ${pagination.page} is past the last of ${count(pagination.total, 'item')}`)
  context.say(`${data.length} of ${count(pagination.total, 'item')} (page ${pagination.page}); --all shows the rest`)
}
