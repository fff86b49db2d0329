import { inert } from '@svc/report-viewer/text'
import type { Output } from '../io/index.js'

/** Write a warning to stderr, on one line. `--quiet` does not hide it. */
export const writeWarning = ({ stderr }: { stderr: Pick<Output, 'write'> }, text: string): void =>
  stderr.write(`warning: ${inert(text)}\n`)

/** A command line for a POSIX shell. */
export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ')

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** Tab-separated values without header or truncation; tabs, line ends and backslashes are escaped as in `\t`. */
export const tsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((each) => inert(escaped(each))).join('\t')}\n`).join('')

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const escaped = (text: string): string => text.replace(/[\\\t\n\r]/g, (each) => escapes[each] ?? each)

const shown = 3

/** The first of many names, and how many more there are. */
export function firstNames(names: readonly string[], all = names.length): string {
  const first = names.slice(0, shown).join(', ')
  return all > shown ? `${first} and ${all - shown} more` : first
}
