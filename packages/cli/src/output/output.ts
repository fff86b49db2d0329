import type { Context } from '../context.js'
import type { Output } from '../io/index.js'
import { inert, inertJson, tsv } from '../terminal/index.js'
import type { Column } from './table.js'

export type Printing = Pick<Context, 'select' | 'flags' | 'now'> & {
  io: { stdout: Pick<Output, 'isTTY' | 'columns' | 'write'> }
}

/** Print one JSON document: indented on a terminal, compact in a pipe. */
export function printJson(context: Printing, document: object): void {
  const { stdout } = context.io
  stdout.write(`${inertJson(selected(context, document), stdout.isTTY ? 2 : 0)}\n`)
}

/** Print a JSON object on one line. */
export function printJsonLine(context: Printing, document: object): void {
  context.io.stdout.write(jsonLine(context, document))
}

export const jsonLine = (context: Pick<Printing, 'select'>, document: object): string =>
  `${inertJson(selected(context, document))}\n`

const selected = ({ select }: Pick<Printing, 'select'>, document: object): object => select?.(document) ?? document

/** A record of the service as a document. */
export const documentOf = (schema: string, record: object): object => Object.assign({ schema }, record, { schema })

/** Print every field of a record, one on a line, also those that the interface does not show. */
export function printRecord(context: Context, record: object, without: readonly string[] = []): void {
  const known = Object.entries(record).filter(([name]) => !without.includes(name))
  if (!context.io.stdout.isTTY) return context.io.stdout.write(tsv(known.map(([name, value]) => [name, cell(value)])))
  const fields = known.map(([name, value]): [string, unknown] => [inert(name), value])
  const width = Math.max(...fields.map(([name]) => name.length))
  for (const [name, value] of fields) {
    context.io.stdout.write(`${context.style.out('dim', name.padEnd(width))}  ${inert(cell(value))}\n`)
  }
}

/** A value as a cell: text unchanged, null as empty, the rest as JSON. */
export const cell = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)

/** Print rows: a table on a terminal, in full with `--wide`; TSV without header in a pipe; ids only with `--quiet`. */
export async function printRows(
  { io: { stdout }, flags, now }: Printing,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const id = columns.indexOf('ID')
  if (flags.quiet && id >= 0) return stdout.write(tsv(rows.map((row) => [row[id] ?? ''])))
  if (!stdout.isTTY) return stdout.write(tsv(rows))
  if (rows.length === 0) return
  // Loaded for a terminal only: to measure text takes longer to load than the rest of a small command.
  const { table, timeAgo } = await import('./table.js')
  const isTime = (i: number) => {
    const column = columns[i]
    return typeof column === 'object' && column.isTime
  }
  const cells = flags.wide ? rows : rows.map((row) => row.map((each, i) => (isTime(i) ? timeAgo(each, now()) : each)))
  stdout.write(table(columns, cells, flags.wide ? Infinity : stdout.columns))
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
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    // The shell ends with 126 or 127 if it cannot run the command.
    child.once('close', (code) => resolve(code !== 126 && code !== 127))
  })
}
