import { inert } from '@svc/text'
import type { Output } from '../io/index.js'

/** Write a warning to stderr, on one line. `--quiet` does not hide it. */
export const writeWarning = ({ stderr }: { stderr: Pick<Output, 'write'> }, text: string): void =>
  stderr.write(`warning: ${inert(text)}\n`)

/** Tab-separated values without header or truncation; tabs, line ends and backslashes are escaped as in `\t`. */
export const tsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((each) => inert(escaped(each))).join('\t')}\n`).join('')

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const escaped = (text: string): string => text.replace(/[\\\t\n\r]/g, (each) => escapes[each] ?? each)
