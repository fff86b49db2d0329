import { type Command, InvalidArgumentError } from 'commander'
import { type AnnotateFlags, bytes, type ReportFlags, upTo, withReports } from '../flags.js'
import type { PolicyFlags } from './policy-flags.js'

/** The flags of a check beside those of its policy. */
export interface CheckFlags extends Omit<AnnotateFlags, 'annotator'>, PolicyFlags, ReportFlags {
  annotator?: string
  attempts?: number
  confirmOnFail?: boolean
  baseline?: string
  updateBaseline?: boolean
  gateExitCode?: number
  /** The folder of the cache; false for none. */
  cache?: string | false
  /** In bytes. */
  cacheSize?: number
}

export const withCheck = (command: Command): Command =>
  withReports(command)
    .optionsGroup('Asking:')
    .option('--attempts <n>', 'ask so often about each; half or more failing answers fail it (default: 1)', upTo(9))
    .option('--confirm-on-fail', 'ask again only about those that fail at first')
    .option('--cache <dir>', 'folder of answers that were paid for (default: annotations in SVC_CACHE_DIR)')
    .option('--no-cache', 'ask about everything, and keep no answer')
    .option('--cache-size <size>', 'remove the oldest answers beyond this size (default: 64MB)', bytes)
    .optionsGroup('Baseline and exit code:')
    .option('--baseline <file>', 'fail only by what is new, or worse than it is in this file')
    .option('--update-baseline', 'write everything that is found into the baseline, as accepted')
    .option('--gate-exit-code <n>', 'exit code of a check that failed (default: 100)', exitCode)

/** What no failure of the gate may look like. */
const taken: Record<number, string> = {
  75: 'could not judge now, run again',
  101: 'could not judge',
  130: 'stopped by SIGINT',
  143: 'stopped by SIGTERM',
}

function exitCode(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 255) throw new InvalidArgumentError('Expected an exit code from 0 to 255.')
  const meaning = taken[value]
  if (meaning === undefined) return value
  throw new InvalidArgumentError(`${value} says "${meaning}"; expected another exit code from 0 to 255.`)
}
