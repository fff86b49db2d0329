import { cut, inert } from '@svc/report-viewer/text'

/** Columns that may be cut to fit a terminal. Ids may not: the next command needs them. */
const mayShrink = new Set(['NAME', 'FROM', 'DESCRIPTION', 'TITLE', 'PROJECT', 'LOSSES'])

/** Aligned columns under a header, cut to the width of a terminal. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const cells = [header, ...rows].map((row) => row.map(inert))
  const widths = header.map((_, i) => Math.max(...cells.map((row) => [...(row[i] ?? '')].length)))
  const gaps = 2 * (widths.length - 1)
  let over = widths.reduce((sum, w) => sum + w, gaps) - width
  for (const [i, column] of header.entries()) {
    if (over <= 0 || !mayShrink.has(column)) continue
    const cutTo = Math.min(widths[i] ?? 0, Math.max(10, (widths[i] ?? 0) - over))
    over -= (widths[i] ?? 0) - cutTo
    widths[i] = cutTo
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => cut(cell, widths[i] ?? 0).padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return `${cells.map(line).join('\n')}\n`
}

/** Tab-separated values without header or truncation. */
export const tsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(inert).join('\t')}\n`).join('')

const shown = 3

/** The first of many names, and how many more there are. */
export function firstNames(names: readonly string[], all = names.length): string {
  const first = names.slice(0, shown).join(', ')
  return all > shown ? `${first} and ${all - shown} more` : first
}
