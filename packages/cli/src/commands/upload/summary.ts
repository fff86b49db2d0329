import { type ExitCode, exit, exitCodeForMany } from '../../exit.js'
import { count } from '../../text.js'
import type { Outcome } from './outcome.js'

/** How a bulk upload went, in numbers. */
export interface Summary {
  schema: 'svc/upload-summary@1'
  project: string
  uploaded: number
  /** Stored by an earlier run, and not sent again. */
  already_uploaded: number
  /** Of those, the ones that the same record was made into otherwise before. */
  from_same_record: number
  /** Uploaded, although an earlier run stored other content under the same external id. */
  changed: number
  /** Left out for that reason (`--skip-changed`). */
  skipped_changed: number
  failed: number
  /** It is not known whether these are stored: their answers were lost, or they were stopped under way. */
  unknown: number
  /** Left out, because the service would refuse them. */
  invalid: number
  /** Not tried, because what failed before would have befallen it too; null where nobody knows how many there were. */
  not_sent: number | null
  /** Uploaded, but its annotation job could not be submitted. */
  stored_not_analysed: number
  /** The work of other shards. */
  other_shards: number
}

/** Counts outcomes as they come. */
export function createTally(project: string) {
  const sum: Summary = {
    schema: 'svc/upload-summary@1',
    project,
    uploaded: 0,
    already_uploaded: 0,
    from_same_record: 0,
    changed: 0,
    skipped_changed: 0,
    failed: 0,
    unknown: 0,
    invalid: 0,
    not_sent: 0,
    stored_not_analysed: 0,
    other_shards: 0,
  }
  const codes: ExitCode[] = []
  let done = 0
  return {
    sum,
    add(outcome: Outcome): void {
      codes.push('code' in outcome ? outcome.code : exit.ok)
      // What another run may send has not failed; it counts as not sent.
      if (outcome.fate === 'failed' && outcome.code === exit.temporary) return
      sum[outcome.fate]++
      done++
      if (outcome.fate === 'already_uploaded' && outcome.by === 'source') sum.from_same_record++
      if (outcome.fate === 'uploaded' && outcome.changedFrom !== undefined) sum.changed++
      if (outcome.fate === 'uploaded' && outcome.transcript.processing_status === 'error') sum.stored_not_analysed++
    },
    /** Those that were told of. */
    total: () => codes.length,
    /** Those of which something came. */
    done: () => done,
    /** With what was left out counted as failed. */
    code: () => exitCodeForMany(sum.invalid > 0 ? [...codes, exit.someFailed, exit.someFailed] : codes),
  }
}

export function summaryLine(sum: Summary): string {
  const parts = [`${count(sum.uploaded, 'transcript')} uploaded to ${sum.project}`]
  if (sum.stored_not_analysed > 0) parts.push(`${sum.stored_not_analysed} of them stored, not analysed`)
  if (sum.changed > 0)
    parts.push(`${sum.changed} of them with the external id of a stored transcript and other content`)
  if (sum.skipped_changed > 0) parts.push(`${sum.skipped_changed} changed since they were stored and left out`)
  if (sum.already_uploaded > 0) parts.push(`${sum.already_uploaded} stored already`)
  if (sum.from_same_record > 0)
    parts.push(`${sum.from_same_record} of them as the same record was read before (--again sends them as read now)`)
  if (sum.failed > 0) parts.push(`${sum.failed} failed`)
  if (sum.unknown > 0) parts.push(`${sum.unknown} perhaps stored: \`svc uploads reconcile\` looks for them`)
  if (sum.invalid > 0) parts.push(`${sum.invalid} invalid and left out`)
  if (sum.not_sent === null) parts.push('the rest not sent')
  else if (sum.not_sent > 0) parts.push(`${sum.not_sent} not sent`)
  if (sum.other_shards > 0) parts.push(`${sum.other_shards} left to other shards`)
  return parts.join(', ')
}
