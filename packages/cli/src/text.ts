/** Bidirectional controls can show a text in another order than it is read; the other characters move the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take the power from
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const escaped = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Somebody's text on one line of a terminal or a TSV cell: nothing in it can move a cursor or start a new line. */
export function inert(text: string): string {
  return text.replace(/\s*[\r\n\t]+\s*/g, ' ').replace(unsafe, escaped)
}

/** Somebody's text of several lines, such as a page: line ends and tabs stay, nothing else in it moves a cursor. */
export const inertLines = (text: string): string =>
  text.replace(unsafe, (character) => (character === '\n' || character === '\t' ? character : escaped(character)))

/** JSON on which nothing in a text can turn: the escapes are those of JSON itself, so that it means the same. */
export const inertJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(
    unsafeInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A text cut to so many characters, with an ellipsis where something was cut. */
export function cut(text: string, length: number): string {
  const points = [...text]
  return points.length <= length ? text : `${points.slice(0, Math.max(0, length - 1)).join('')}…`
}

/** `1 transcript`, `2 transcripts`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** Columns that may be cut to fit a terminal; an id is what the next command needs whole. */
const mayShrink = new Set(['NAME', 'FROM', 'DESCRIPTION', 'TITLE', 'PROJECT', 'LOSSES'])

/** Rows as aligned columns under a header, those that may be cut to fit the width; for a person. */
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

/** Rows as tab-separated values without header or truncation; for a pipe. */
export const tsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(inert).join('\t')}\n`).join('')

const shown = 3

/** The first of many names, and how many more there are. */
export function firstOf(names: readonly string[]): string {
  const first = names.slice(0, shown).join(', ')
  return names.length > shown ? `${first} and ${names.length - shown} more` : first
}
