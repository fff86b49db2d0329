/** A row of a table as a record: what a format takes for one, and nothing else of a file can be. */
export class TableRow {
  /** The cells by the names of their columns, in the order of the header. */
  readonly cells: Map<string, string>

  constructor(cells: Map<string, string>) {
    this.cells = cells
  }

  /** The row whose cells stand under these columns. A cell that is missing is empty; one too many is `column 7`. */
  static of(columns: readonly string[], cells: readonly string[]): TableRow {
    const named = new Map<string, string>()
    for (let at = 0; at < Math.max(columns.length, cells.length); at++) {
      named.set(columns[at] ?? `column ${at + 1}`, cells[at] ?? '')
    }
    return new TableRow(named)
  }
}

/** The names of a table's columns from its header: trimmed, those without one by their number, repeated ones marked. */
export function columnsOf(header: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return header.map((cell, at) => {
    const name = cell.trim() || `column ${at + 1}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  })
}
