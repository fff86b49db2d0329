import { inert } from '@svc/report-viewer/text'
import type { Output } from '../io/index.js'

/** Write a warning to stderr, on one line. `--quiet` does not hide it. */
export const writeWarning = ({ stderr }: { stderr: Pick<Output, 'write'> }, text: string): void =>
  stderr.write(`warning: ${inert(text)}\n`)

/** A command line for a POSIX shell. */
export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ')

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
