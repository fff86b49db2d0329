import { escapeLine } from '@svc/text'
import stringWidth from 'string-width'

/** A column of a table. A title alone is a column that is always shown in full. */
export type Column =
  | string
  | {
      title: string
      /** The smallest width, in terminal cells, to which the column may be cut. */
      least?: number
      /** On a terminal that is too narrow, columns are dropped in this order, 1 first. */
      drop?: number
      /** The cells are ISO 8601 times, and a terminal shows how long ago they are. */
      isTime?: boolean
    }

/** The widest terminal on which a record that does not fit is shown as a block of lines. */
const narrow = 79

/** A table whose columns have the widths of its first rows. */
export interface Table {
  head: string
  /** Lines for these rows, the first or later ones. */
  body(rows: readonly (readonly string[])[]): string
}

/**
 * Aligned columns under a header that fit the width of a terminal: long columns are cut, then columns are dropped.
 * A table that still does not fit, or would lose a column on a narrow terminal, becomes a block of lines for each row.
 */
export function tableOf(columns: readonly Column[], first: readonly (readonly string[])[], width: number): Table {
  const titles = columns.map(titleOf).map(escapeLine)
  const cells = [titles, ...first.map((row) => row.map(escapeLine))]
  const widths = titles.map((_, i) => Math.max(...cells.map((row) => stringWidth(row[i] ?? ''))))
  const shown = new Set(titles.keys())
  const overflow = (of: readonly number[]) => [...shown].reduce((sum, i) => sum + (of[i] ?? 0) + 2, -2) - width
  const least = widths.map((w, i) => Math.min(w, leastOf(columns[i]) ?? w))
  const byImportance = [...columns.keys()].sort((a, b) => dropOf(columns[a]) - dropOf(columns[b]))
  for (const i of byImportance)
    if (width > narrow && dropOf(columns[i]) < Infinity && overflow(least) > 0) shown.delete(i)
  if (overflow(least) > 0) return blocks(titles)
  // The least important column is cut first.
  for (const i of byImportance.filter((at) => shown.has(at))) {
    const excess = overflow(widths)
    if (excess > 0) widths[i] = Math.max(least[i] ?? 0, (widths[i] ?? 0) - excess)
  }
  const line = (row: readonly string[]) =>
    `${[...shown]
      .map((i) => padded(row[i] ?? '', widths[i] ?? 0))
      .join('  ')
      .trimEnd()}\n`
  return { head: line(titles), body: (rows) => rows.map((row) => line(row.map(escapeLine))).join('') }
}

const titleOf = (column: Column): string => (typeof column === 'string' ? column : column.title)
const leastOf = (column: Column | undefined) => (typeof column === 'object' ? column.least : undefined)
const dropOf = (column: Column | undefined) => (typeof column === 'object' ? column.drop : undefined) ?? Infinity

function blocks(titles: readonly string[]): Table {
  const width = Math.max(...titles.map((each) => stringWidth(each)))
  const block = (row: readonly string[]) =>
    titles.map((title, i) => `${padded(title, width)}  ${escapeLine(row[i] ?? '')}`.trimEnd()).join('\n')
  let isFirst = true
  return {
    head: '',
    body(rows) {
      const before = isFirst ? '' : '\n'
      isFirst = false
      return `${before}${rows.map(block).join('\n\n')}\n`
    },
  }
}

/** A cell of exactly this width: cut with an ellipsis, or filled with spaces. */
function padded(text: string, width: number): string {
  const textWidth = stringWidth(text)
  if (textWidth <= width) return text + ' '.repeat(width - textWidth)
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) >= width) break
    kept += segment
  }
  return `${kept}…${' '.repeat(width - 1 - stringWidth(kept))}`
}
