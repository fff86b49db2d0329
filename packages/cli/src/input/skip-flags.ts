import { InputProblem } from './input-problem.js'

/** Kinds of transcripts that an upload may skip. It skips stored ones anyway, without `again`. */
export const skipKinds = ['stored', 'repeated', 'changed'] as const

export interface SkipFlags {
  skip?: readonly (typeof skipKinds)[number][]
  /** Upload what the ledger has as stored, and what may be stored. */
  again?: boolean
  /** Skip what has the content of an earlier one of this run. An earlier flag, as the one below. */
  dedupe?: boolean
  /** Skip what has the external id of a stored transcript and other content. */
  skipChanged?: boolean
}

/**
 * The flags in which the kinds to skip set the earlier flags.
 * @throws {InputProblem} if they contradict each other
 */
export function withSkip<Flags extends SkipFlags>(flags: Flags): Flags {
  const { skip = [], again, dedupe, skipChanged } = flags
  if (again && skip.includes('stored')) {
    throw new InputProblem('conflicting_options', '--again and --skip stored cannot be used together.', {
      hint: 'remove one of the two; --again uploads what the ledger has as stored',
    })
  }
  return {
    ...flags,
    dedupe: dedupe || skip.includes('repeated'),
    skipChanged: skipChanged || skip.includes('changed'),
  }
}
