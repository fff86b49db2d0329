import { inert } from '@svc/report-viewer'
import type { Output } from '../io/index.js'

/** Writes a warning to stderr, on one line; `--quiet` does not hide it. */
export const writeWarning = ({ stderr }: { stderr: Pick<Output, 'write'> }, text: string): void =>
  stderr.write(`warning: ${inert(text)}\n`)
