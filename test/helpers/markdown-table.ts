/** A table of Markdown as the formatter writes it. */
export function markdownTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
  const [head = [], ...body] = rows
  return [head, widths.map((width) => '-'.repeat(width)), ...body].map(line).join('')
}
