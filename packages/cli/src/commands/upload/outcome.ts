import type { Transcript } from '@svc/client'
import type { ExitCode } from '../../exit.js'
import { cell } from '../../output.js'
import { describe } from '../../report-error.js'
import type { Item } from './item.js'

/** What became of an item. */
export type Outcome = Fate & {
  item: Item
  /** The id of what an earlier run stored under the same external id with other content. */
  changedFrom?: string
}

type Fate =
  | { fate: 'uploaded'; transcript: Transcript }
  /** The ledger has it: the very same, or another that was made of the same record. */
  | { fate: 'already_uploaded'; id: string; by: 'key' | 'source' }
  /** Left out, because an earlier run stored other content under its external id. */
  | { fate: 'skipped_changed'; changedFrom: string }
  /** It may be stored: its answer was lost, or it was stopped under way, now or in an earlier run. */
  | { fate: 'unknown'; code: ExitCode; error: unknown; candidates: readonly string[] }
  | { fate: 'failed'; code: ExitCode; error: unknown }

/** An outcome as a JSON object. */
export function outcomeJson(outcome: Outcome): object {
  const { item, fate } = outcome
  const changed = outcome.changedFrom !== undefined && { changed_from: outcome.changedFrom }
  const origin = { ...item.origin, key: item.identity.key, ...changed }
  const common = { schema: 'svc/upload@1', result: fate, ...origin, losses: item.losses }
  switch (fate) {
    case 'uploaded':
      return { ...common, id: outcome.transcript.id, transcript: outcome.transcript }
    case 'already_uploaded':
      return { ...common, id: outcome.id }
    case 'skipped_changed':
      return common
    default: {
      const { kind, message } = describe(outcome.error)
      const candidates = fate === 'unknown' && { candidates: outcome.candidates }
      return { ...common, ...candidates, error: { kind, message, exit: outcome.code } }
    }
  }
}

/** A planned upload as a JSON object, for a dry run. */
export const plannedJson = (
  item: Item,
  {
    result,
    id,
    changedFrom,
  }: {
    result: 'planned' | 'already_uploaded' | 'skipped_changed'
    id?: string | undefined
    changedFrom?: string | undefined
  },
): object => ({
  schema: 'svc/upload@1',
  result,
  ...item.origin,
  key: item.identity.key,
  ...(changedFrom !== undefined && { changed_from: changedFrom }),
  ...(id !== undefined && { id }),
  losses: item.losses,
  format: item.format,
  turn_count: item.turns,
})

/** What is stored as a row: id, name, turns, status, and where it came from; undefined for what is not. */
export function outcomeRow(outcome: Outcome): string[] | undefined {
  const { path, record, name } = outcome.item.origin
  if (outcome.fate === 'uploaded') {
    const { id, name: stored, turn_count, processing_status } = outcome.transcript
    return [id, ...[stored, turn_count, processing_status].map(cell), path, String(record)]
  }
  if (outcome.fate === 'already_uploaded')
    return [outcome.id, name, String(outcome.item.turns), outcome.fate, path, String(record)]
  return undefined
}
