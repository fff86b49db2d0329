import { everyItem, limits, type PageBody } from '@svc/client'
import type { Context } from '../context.js'
import { errorJson, exitCodeFor, refuseMalformed, reportError, wrongFields, wrongItems } from '../errors/index.js'
import { CliError, type ExitCode, exit } from '../exit.js'
import { drained } from '../io/index.js'
import { type Column, jsonListPrinter, printJson, printRows, rowPrinter } from '../output/index.js'
import { count } from '../terminal/index.js'
import type { PageFlags } from './flags.js'

/** A list as a command shows it: how to get a page of it, and an item as a row under a header. */
export interface Listing<T> {
  /** The name of its JSON document. */
  schema: string
  page(paging: { page?: number | undefined; limit?: number | undefined }): Promise<PageBody<T>>
  noun: string
  columns: readonly Column[]
  row(item: T): string[]
  /** The error to report for one of the service. Default: the same. */
  explain?(error: unknown): Promise<unknown>
}

/** Shows one page of a list, or with `all` or `maxItems` the whole of it up to that number, page by page. */
export async function showList<T extends object>(
  context: Context,
  { all, page, limit, maxItems }: PageFlags,
  list: Listing<T>,
): Promise<ExitCode | undefined> {
  if (all || maxItems !== undefined) return showAll(context, { limit: limit ?? limits.pageSize.max, maxItems }, list)
  const shown = await list.page({ page, limit }).catch(async (error: unknown) => {
    throw (await list.explain?.(error)) ?? error
  })
  const { data, pagination } = shown
  refuseRows(context, data)
  if (pagination !== undefined)
    refuseMalformed(wrongFields(pagination, '/pagination', { page: 'a number', total: 'a number' }))
  if (context.flags.json) printJson(context, { schema: list.schema, ...shown })
  else await printRows(context, list.columns, data.map(list.row))
  reportRest(context, shown, list.noun)
  return undefined
}

/** A document shows a row as it came. */
const refuseRows = ({ flags }: Context, data: readonly object[]) =>
  refuseMalformed(flags.json ? [] : wrongItems(data, '/data', { id: 'a text' }))

/** The ids of all items are kept, because pages may overlap; a list of more items is not believed. */
const mostItems = 2_000_000

/** Print each page when the next is asked for. In JSON it is one document; its `error` is why the list is not complete. */
async function showAll<T extends object>(
  context: Context,
  { limit, maxItems = Infinity }: { limit: number; maxItems?: number | undefined },
  list: Listing<T>,
): Promise<ExitCode | undefined> {
  const { io, flags } = context
  const printRowsOf = rowPrinter(context, list.columns)
  const json = jsonListPrinter(context, list.schema)
  let items = 0
  let rows: T[] = []
  const flush = async () => {
    refuseRows(context, rows)
    if (flags.json) json.print(rows)
    else await printRowsOf(rows.map(list.row))
    rows = []
    await drained(io.stdout, io.stop)
    await io.checkpoint()
  }
  const fetchPage = async (page: number) => {
    if (rows.length > 0) await flush()
    return list.page({ page, limit })
  }
  try {
    for await (const item of everyItem(fetchPage, limit, Math.min(maxItems, mostItems + 1))) {
      if (items++ === mostItems) throw endless(list.noun)
      rows.push(item)
    }
    if (rows.length > 0) await flush()
  } catch (cause) {
    const error = context.reported((await list.explain?.(cause)) ?? cause)
    if (!json.hasBegun()) throw error
    const code = exitCodeFor(error)
    json.end(errorJson(error, code))
    reportError(io, error, code, false)
    return code
  }
  if (flags.json) json.end()
  if (items === 0) context.say(`no ${list.noun}s`)
  return undefined
}

const endless = (noun: string): CliError =>
  new CliError(exit.refused, `The list has more than ${count(mostItems, noun)}: it may have no end.`, {
    hint: 'list a part of it, such as with --page',
  })

/** Report that a list is not complete. */
function reportRest(context: Context, { data, pagination }: PageBody<unknown>, noun: string): void {
  if (data.length === 0 && !pagination?.total) return context.say(`no ${noun}s`)
  if (!pagination || pagination.total <= data.length) return
  if (data.length === 0)
    return context.say(`page ${pagination.page} is past the last of ${count(pagination.total, 'item')}`)
  context.say(`${data.length} of ${count(pagination.total, 'item')} (page ${pagination.page}); --all shows the rest`)
}
