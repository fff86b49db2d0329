import { select, selectsUnread } from '../../check/selection/index.js'
import { CliError, exit } from '../../exit.js'
import { count } from '../../terminal/index.js'
import type { Run } from './finish.js'
import type { PlannedCases, Setup } from './setup.js'

/** The selected transcripts. Notes in the run what is not selected. Throws a usage error if nothing is. */
export function selectCases(
  { cases, identities, matched }: PlannedCases,
  { selection }: Setup,
  run: Run,
): PlannedCases {
  if (!selection) return { cases, identities, matched }
  const candidates = cases.map(({ conversation }, at) => ({ conversation, sha256: identities[at]?.sha256 ?? '' }))
  const isSelected = select(candidates, selection)
  const found = cases.length + run.unread.length
  run.unread = run.unread.filter(({ path }) => selectsUnread(path, selection))
  const only = <T>(all: readonly T[]): T[] => all.filter((_, at) => isSelected[at])
  const selected = only(cases)
  if (selected.length + run.unread.length === 0) {
    throw new CliError(exit.usage, `None of ${count(found, 'transcript')} is selected.`, {
      hint: 'check the values of --where and the report of --only-failed',
    })
  }
  const { onlyFailed, ...rule } = selection
  run.selection = {
    ...{ ...rule, only_failed: onlyFailed?.path ?? null },
    not_selected: found - selected.length - run.unread.length,
  }
  return { cases: selected, identities: only(identities), matched: { ...matched, entries: only(matched.entries) } }
}
