import { once } from 'node:events'
import { cut, escapeJson, escapeLine } from '@svc/text'
import type { Context } from '../context.js'
import type { Output } from '../io/index.js'
import type { DocumentFields, Schema } from './documents.js'
import type { Column, Table } from './table.js'
import { tsv } from './tsv.js'

export type Printing = Pick<Context, 'select' | 'flags' | 'now'> & {
  io: { stdout: Pick<Output, 'isTTY' | 'columns' | 'write'> }
}

/** Print one JSON document: indented on a terminal, compact in a pipe. */
export function printJson(context: Printing, document: object): void {
  const { stdout } = context.io
  stdout.write(`${escapeJson(selected(context, document), stdout.isTTY ? 2 : 0)}\n`)
}

export const printDocument = <Name extends Schema>(context: Printing, schema: Name, fields: DocumentFields<Name>) =>
  printJson(context, { schema, ...fields })

/** Print one JSON document with a list in `data` whose items come in parts, as `printJson` prints a whole one. */
export function jsonListPrinter(context: Printing, schema: string) {
  const { stdout } = context.io
  const [space, line, deep] = stdout.isTTY ? [2, '\n  ', '\n    '] : [0, '', '']
  const colon = stdout.isTTY ? ': ' : ':'
  let items = 0
  // The fields of the first part, which a later one may lack.
  let firstFields: object | undefined
  return {
    hasBegun: () => items > 0,
    print(data: readonly object[]): void {
      firstFields ??= Object.assign({}, ...data) as object
      const { data: shown = [] } = selected(context, { schema, data: [firstFields, ...data] }) as { data?: object[] }
      for (const item of shown.slice(1)) {
        const before = items++ === 0 ? `{${line}"schema"${colon}${JSON.stringify(schema)},${line}"data"${colon}[` : ','
        stdout.write(`${before}${deep}${escapeJson(item, space).replaceAll('\n', deep)}`)
      }
    },
    /** Closes the document; `error` is why the list is not complete. */
    end(error?: object): void {
      if (items === 0) return printJson(context, { schema, data: [] })
      const why = error === undefined ? '' : `,${line}"error"${colon}${escapeJson(error, space).replaceAll('\n', line)}`
      stdout.write(`${line}]${why}${stdout.isTTY ? '\n' : ''}}\n`)
    },
  }
}

export function printJsonLine(context: Printing, document: object): void {
  context.io.stdout.write(jsonLine(context, document))
}

export const jsonLine = (context: Pick<Printing, 'select'>, document: object): string =>
  `${escapeJson(selected(context, document))}\n`

const selected = ({ select }: Pick<Printing, 'select'>, document: object): object => select?.(document) ?? document

export const documentOf = (schema: string, record: object): object => Object.assign({ schema }, record, { schema })

/** Print a record of the service: as a document, or every field on a line. */
export function printRecordOf(context: Context, schema: string, record: object): void {
  if (context.flags.json) printJson(context, documentOf(schema, record))
  else printRecord(context, record)
}

/**
 * Print every field of a record, one on a line, also those that the interface does not show. `maxValue`: the characters of
 * a value on a terminal.
 */
export function printRecord(
  context: Context,
  record: object,
  without: readonly string[] = [],
  maxValue = Infinity,
): void {
  const fields = Object.entries(record).filter(([name]) => !without.includes(name))
  if (!context.io.stdout.isTTY) return context.io.stdout.write(tsv(fields.map(([name, value]) => [name, cell(value)])))
  const shown = fields.map(([name, value]): [string, unknown] => [escapeLine(name), value])
  const width = Math.max(...shown.map(([name]) => name.length))
  for (const [name, value] of shown) {
    context.io.stdout.write(
      `${context.style.out('dim', name.padEnd(width))}  ${escapeLine(cut(cell(value), maxValue))}\n`,
    )
  }
}

/** A value as a cell: text unchanged, null as empty, the rest as JSON. */
export const cell = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)

type Rows = readonly (readonly string[])[]

/** Print rows: a table on a terminal; TSV without header in a pipe; with `--quiet` only the id, or the key of an upload without one. */
export const printRows = (printing: Printing, columns: readonly Column[], rows: Rows): Promise<void> =>
  rowPrinter(printing, columns)(rows)

/** `printRows` for rows that come in parts, under one header. */
export function rowPrinter(
  { io: { stdout }, flags, now }: Printing,
  columns: readonly Column[],
): (rows: Rows) => Promise<void> {
  const id = columns.indexOf('ID')
  const key = columns.findIndex((column) => typeof column === 'object' && column.title === 'KEY')
  let begun: Table | undefined
  return async (rows) => {
    if (flags.quiet && id >= 0) return stdout.write(tsv(rows.map((row) => [row[id] || row[key] || ''])))
    if (!stdout.isTTY) return stdout.write(tsv(rows))
    if (rows.length === 0) return
    // Loaded for a terminal only: to measure text takes longer to load than the rest of a small command.
    const { tableOf } = await import('./table.js')
    const isTime = (i: number) => {
      const column = columns[i]
      return typeof column === 'object' && column.isTime
    }
    const cells = rows.map((row) => row.map((each, i) => (isTime(i) ? timeAgo(each, now()) : each)))
    const head = begun ? '' : undefined
    begun ??= tableOf(columns, cells, stdout.columns)
    stdout.write((head ?? begun.head) + begun.body(cells))
  }
}

/** Print a long text: through the pager of `PAGER` (default: less) on a terminal, else straight to stdout. */
export async function printPaged({ io }: Pick<Context, 'io'>, text: string): Promise<void> {
  const pager = io.env.PAGER ?? 'less'
  const isPaged = io.stdout.isTTY && io.stdinIsTTY && io.env.TERM !== 'dumb' && !['', 'cat'].includes(pager.trim())
  if (!isPaged || !(await showIn(io, pager, text))) io.stdout.write(text)
}

/** False if the pager could not be started. */
function showIn(io: Context['io'], pager: string, text: string): Promise<boolean> {
  // As in git: quit if the text fits the screen, keep colors, leave the text on the screen.
  const child = io.spawn('sh', ['-c', pager], { LESS: 'FRX', ...io.env }, text)
  return once(child, 'close').then(
    // The shell ends with 126 or 127 if it cannot run the command.
    ([code]) => code !== 126 && code !== 127,
    () => false,
  )
}

/** The time since an ISO 8601 time, as in "3 hours ago"; its date if that is more than 30 days; any other text unchanged. */
export function timeAgo(iso: string, now: number): string {
  const ms = now - Date.parse(iso)
  if (Number.isNaN(ms)) return iso
  if (ms < 0 || ms > 30 * 86_400_000) return iso.slice(0, 10)
  const [unit, size] = spans.find(([, size]) => ms >= size) ?? ['minute', 60_000]
  const n = Math.floor(ms / size)
  return n === 0 ? 'just now' : `${n} ${unit}${n === 1 ? '' : 's'} ago`
}

const spans = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
