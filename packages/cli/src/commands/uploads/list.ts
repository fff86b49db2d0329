import type { Context } from '../../context.js'
import { historyOf } from '../../ledger/index.js'
import { cell, printJson, printJsonLine, printRecord, printRows } from '../../output/index.js'
import { count, inert } from '../../terminal/index.js'
import type { Work } from '../act.js'
import { booksOf, type Entry, entriesOf, findEntry, itemHeader, itemJson, itemRow, type LedgerFlags } from './books.js'

export interface ListFlags extends LedgerFlags {
  state?: string
  limit?: number
  all?: boolean
  runs?: boolean
}

export const listUploads: Work<[], ListFlags> = async (context, _, flags) => {
  const books = booksOf(context, flags)
  if (flags.runs) {
    const runs = books.flatMap((book) => book.runs).sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
    const header = ['RUN', 'STARTED', 'ENDED', 'PROJECT', 'SENT', 'DONE', 'REFUSED', 'UNSENT', 'UNKNOWN']
    return show(context, flags, runs, 'run', {
      header,
      json: ({ startedAt: started_at, endedAt: ended_at, ...run }) => ({
        schema: 'svc/upload-run@1',
        ...run,
        started_at,
        ended_at,
      }),
      row: ({ run, startedAt, endedAt, project, sent, done, refused, unsent, unknown }) => [
        ...[run, startedAt, endedAt, project],
        ...[sent, done, refused, unsent, unknown].map(String),
      ],
    })
  }
  const entries = entriesOf(books).filter(({ item }) => flags.state === undefined || item.state === flags.state)
  return show(context, flags, newestFirst(entries), 'item', { header: itemHeader, json: itemJson, row: itemRow })
}

/** Within a book they stand in the order of what happened to them last. */
const newestFirst = (entries: readonly Entry[]): Entry[] =>
  [...entries].reverse().sort((a, b) => (a.item.at < b.item.at ? 1 : a.item.at > b.item.at ? -1 : 0))

function show<T>(
  context: Context,
  { all, limit = 20 }: ListFlags,
  things: readonly T[],
  noun: string,
  as: { header: readonly string[]; json(thing: T): object; row(thing: T): string[] },
): undefined {
  const shown = all ? things : things.slice(0, limit)
  if (context.flags.json) {
    for (const thing of shown) printJsonLine(context, as.json(thing))
    printJsonLine(context, { schema: 'svc/uploads-summary@1', total: things.length, shown: shown.length })
  } else printRows(context, as.header, shown.map(as.row))
  if (things.length === 0) context.say(`no ${noun}s`)
  else if (shown.length < things.length) {
    context.say(`${shown.length} of ${count(things.length, noun)}; --all shows the rest`)
  }
}

export const showUpload: Work<[string], LedgerFlags> = async (context, [word], flags) => {
  const entry = findEntry(entriesOf(booksOf(context, flags)), word)
  const events = historyOf(entry.book, entry.item.key).map(({ event, at, run, ...rest }) => {
    const { id, status, candidates } = rest as { id?: string; status?: unknown; candidates?: readonly string[] }
    return {
      event,
      at,
      run,
      ...(id && { id }),
      ...(status !== undefined && { status }),
      ...(candidates && { candidates }),
    }
  })
  const record = itemJson(entry)
  if (context.flags.json) {
    printJson(context, { ...record, events })
    return undefined
  }
  printRecord(context, record, ['schema'])
  const { io } = context
  for (const { event, at, run: _, ...rest } of events) {
    const what = [event, at, ...Object.values(rest).map(cell)].map(inert)
    io.stdout.write(io.stdout.isTTY ? `${context.style.out('cyan', what.join('  '))}\n` : `event\t${what.join('\t')}\n`)
  }
  return undefined
}
