import { everyItem, limits, type OpenPage, ServiceError } from '@svc/client'
import { count } from '@svc/text'
import type { Context } from '../context.js'
import { errorJson, exitCodeFor, refuseMalformed, reportError, wrongItems } from '../errors.js'
import { CliError, type ExitCode, exit } from '../exit.js'
import { drained, OutputEnded } from '../io/index.js'
import { type Column, jsonListPrinter, printJson, printRows, rowPrinter } from '../output/index.js'
import type { PageFlags } from './flags.js'

type ListPage<T> = Pick<OpenPage<T>, 'data' | 'pagination' | 'total' | 'hasNextPage'>

export interface Listing<T> {
  schema: string
  page(paging: { page?: number | undefined; limit?: number | undefined }): Promise<ListPage<T>>
  noun: string
  columns: readonly Column[]
  row(item: T): string[]
  /** The error to report for one of the service. Default: the same. */
  explain?(error: unknown): Promise<unknown>
}

export async function showList<T extends object>(
  context: Context,
  { all, page, limit, maxItems }: PageFlags,
  list: Listing<T>,
): Promise<ExitCode | undefined> {
  if (all || maxItems !== undefined) return showAll(context, { limit: limit ?? limits.pageSize.max, maxItems }, list)
  const shown = await list.page({ page, limit }).catch(async (error: unknown) => {
    throw (await list.explain?.(error)) ?? error
  })
  const { total: _, ...document } = shown
  const { data } = document
  refuseRows(context, data)
  if (context.flags.json) printJson(context, { schema: list.schema, ...document })
  else await printRows(context, list.columns, data.map(list.row))
  reportRest(context, shown, page ?? 1, list.noun)
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
    for await (const item of everyItem(fetchPage, { maxItems: Math.min(maxItems, mostItems + 1), limit })) {
      if (items++ === mostItems) throw endless(list.noun)
      rows.push(item)
    }
    if (rows.length > 0) await flush()
  } catch (cause) {
    const isIncomplete = cause instanceof ServiceError && cause.incomplete !== undefined
    if (isIncomplete && rows.length > 0) await flush()
    const error = isIncomplete
      ? incompleteError(cause, list.noun)
      : context.reported((await list.explain?.(cause)) ?? cause)
    if (!json.hasBegun() || cause instanceof OutputEnded) throw error
    const code = exitCodeFor(error)
    json.end(errorJson(error, code, context.argv))
    reportError(io, error, code, { json: false })
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

function incompleteError(cause: ServiceError, noun: string): CliError {
  const { incomplete, seen = 0, total = 0 } = cause
  const shown =
    total > seen ? `the service counts ${count(total, noun)} and lists ${seen}` : `some ${noun}s may be missing`
  if (incomplete === 'moved') {
    const message = `The list is incomplete: ${noun}s moved from page to page while it was read; ${shown}.`
    return new CliError(exit.temporary, message, { hint: 'run the command again', cause })
  }
  const hint =
    total > seen ? 'if its list lags, run the command again later' : 'the service repeats a page, or lists no more'
  return new CliError(exit.refused, `The list is incomplete: ${shown}.`, { hint, cause })
}

function reportRest(context: Context, shown: ListPage<unknown>, page: number, noun: string): void {
  const { total = 0, data } = shown
  if (data.length === 0 && total === 0) return context.say(page > 1 ? `page ${page} has no ${noun}s` : `no ${noun}s`)
  if (data.length === 0)
    return context.say(
      page > 1
        ? `page ${page} is past the last of ${count(total, 'item')}`
        : `note: the service counts ${count(total, noun)}, but lists none; if its list lags, try again later`,
    )
  const hasNext = shown.hasNextPage()
  const rest = hasNext ? '; --all shows the rest' : ''
  if (total > data.length) return context.say(`${data.length} of ${count(total, 'item')} (page ${page})${rest}`)
  if (hasNext) context.say(`${count(data.length, 'item')} (page ${page}); more may follow: --all shows all`)
}
