import { historyOf } from '../../ledger/survey.js'
import { cell, printJson, printRecord } from '../../output.js'
import { inert } from '../../text.js'
import type { Work } from '../act.js'
import { booksOf, entriesOf, findEntry, type LedgerFlags } from './books.js'
import { itemJson } from './render.js'

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
