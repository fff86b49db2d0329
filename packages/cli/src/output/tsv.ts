import { escapeLine } from '@svc/text'

/** Tab-separated values without header or truncation; tabs, line ends and backslashes are escaped as in `\t`. */
export const tsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((each) => escapeLine(escaped(each))).join('\t')}\n`).join('')

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const escaped = (text: string): string => text.replace(/[\\\t\n\r]/g, (each) => escapes[each] ?? each)
