import { tsv } from '../terminal/index.js'
import type { Printing } from './output.js'
import type { Column } from './table.js'

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
