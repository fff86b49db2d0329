import { InputProblem } from './input-problem.js'

/** Kinds of transcripts that an upload may skip. It skips stored ones unless it is to skip none. */
export const skipKinds = ['stored', 'repeated', 'changed', 'none'] as const

export interface SkipFlags {
  skip?: readonly (typeof skipKinds)[number][]
  /** Upload what the ledger has as stored. An earlier flag, as the two below. */
  again?: boolean
  /** Skip what has the content of an earlier one of this run. */
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
  const isNone = skip.includes('none')
  refuse(isNone && skip.length > 1, '--skip none', `${skip.filter((kind) => kind !== 'none').join(' and ')}`)
  refuse(isNone && dedupe, '--skip none', '--dedupe')
  refuse(isNone && skipChanged, '--skip none', '--skip-changed')
  refuse(again && skip.includes('stored'), '--skip stored', '--again')
  return {
    ...flags,
    again: again || isNone,
    dedupe: dedupe || skip.includes('repeated'),
    skipChanged: skipChanged || skip.includes('changed'),
  }
}

function refuse(isContradiction: boolean | undefined, one: string, other: string): void {
  if (!isContradiction) return
  throw new InputProblem('conflicting_options', `${one} and ${other} cannot be used together.`, {
    hint: `remove one of the two; --skip none uploads again what the ledger has as stored`,
  })
}
