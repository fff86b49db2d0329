import { type Command, InvalidArgumentError } from 'commander'
import { reportIds } from '../../reports/table.js'
import { type Target, targetOf } from '../../reports/targets.js'
import { type AnnotateFlags, bytes, upTo } from '../flags.js'
import type { PolicyFlags } from './policy-flags.js'

/** The flags of a check beside those of its policy. */
export interface CheckFlags extends Omit<AnnotateFlags, 'annotator'>, PolicyFlags {
  annotator?: string
  attempts?: number
  confirmOnFail?: boolean
  baseline?: string
  updateBaseline?: boolean
  report?: readonly Target[]
  gateExitCode?: number
  /** The path of a cache; false for none. */
  cache?: string | false
  /** In bytes. */
  cacheSize?: number
}

export const withCheck = (command: Command): Command =>
  command
    .option('--attempts <n>', 'ask so often about each, and take what most answers say (default: 1)', upTo(9))
    .option('--confirm-on-fail', 'ask again only about those that fail at first')
    .option('--cache <file>', 'file of answers that were paid for (default: annotations.jsonl in SVC_CACHE_DIR)')
    .option('--no-cache', 'ask about everything, and keep no answer')
    .option('--cache-size <size>', 'make the cache smaller when it is larger (default: 64MB)', bytes)
    .option('--baseline <file>', 'fail only by what is new, or worse than it is in this file')
    .option('--update-baseline', 'write the baseline anew, with everything that is found as accepted')
    .option('--report <format=file>', reportHelp, target)
    .option('--gate-exit-code <n>', 'exit code of a check that failed (default: 100)', exitCode)

const reportHelp = `write a report: ${reportIds.join(', ')} to a file or - for standard output, or github; repeatable`

/** For `--report`, gathered over repetitions. */
export function target(text: string, before: readonly Target[] = []): readonly Target[] {
  const parsed = targetOf(text)
  if (parsed) return [...before, parsed]
  throw new InvalidArgumentError(`Expected FORMAT=FILE with one of ${reportIds.join(', ')}, or github.`)
}

function exitCode(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= 255) return value
  throw new InvalidArgumentError('Expected an exit code from 0 to 255.')
}
