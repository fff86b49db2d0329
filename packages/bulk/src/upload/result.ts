import type { NextStep, Transcript } from '@svc/client'
import type { UploadItem } from './prepare.js'

/** The result of one upload. */
export type UploadResult<Tag = undefined> = {
  /** The upload without its content. */
  item: UploadItem<Tag>
  /** The id of what an earlier run stored under the same external id with other content. */
  changedFrom?: string
} & (
  | { result: 'uploaded'; transcript: Transcript }
  /**
   * The ledger has it. `by`: the same content, another upload of the same `source`, one of a file that is no longer in the
   * input (in a shard by file), or a transcript without a stamp that looks the same.
   */
  | { result: 'already_uploaded'; id: string; by: 'key' | 'source' | 'gone file' | 'look' }
  /** Not sent, because an earlier run stored other content under its external id (`skipChanged`). */
  | { result: 'skipped_changed'; changedFrom: string }
  /** It may be stored: its answer was lost, or it was stopped under way, now or in an earlier run. */
  | { result: 'unknown'; error: unknown; step: NextStep; candidates: readonly string[] }
  /**
   * It is not stored. `step`: what to do next. `allRefused`: the number of requests since the start of the run that a
   * gateway refused, all of them.
   */
  | { result: 'failed'; error: unknown; step: NextStep; allRefused?: number }
)

/** Why an upload of the input has no result: another shard sends it, or it has the content of an earlier one (`dedupe`). */
export type SkipReason = 'other_shard' | 'skipped_duplicate'

/** How a bulk upload went, in numbers. */
export interface UploadSummary {
  /** Sent and stored. */
  uploaded: number
  /** Stored by an earlier run, and not sent again. */
  already_uploaded: number
  /** Of those, the ones that were made of the same record as another upload before. */
  from_same_record: number
  /** Of those, the ones taken for uploads of files that are no longer in the input (shards by file). */
  from_gone_file: number
  /** Sent and stored, although an earlier run stored other content under the same external id. */
  changed: number
  /** Not sent for that reason (`skipChanged`). */
  skipped_changed: number
  /** Not stored, and another run will not store them unless something is corrected. */
  failed: number
  /** They may be stored. */
  unknown: number
  /**
   * Uploads of earlier runs that are not in this input and may be stored: `reconcileLedger` searches for them. Null if the
   * run did not come to its end.
   */
  earlier_unknown: number | null
  /** Left for another run, because they would have failed the same way; null if their number is unknown. */
  not_sent: number | null
  /** Stored, but their annotation could not be started. */
  stored_not_analysed: number
  /** The work of other shards. */
  other_shards: number
}

/** Counts uploads as they are taken from the input, and results as they come. */
export function createTally() {
  const sum: Omit<UploadSummary, 'not_sent' | 'earlier_unknown'> = {
    uploaded: 0,
    already_uploaded: 0,
    from_same_record: 0,
    from_gone_file: 0,
    changed: 0,
    skipped_changed: 0,
    failed: 0,
    unknown: 0,
    stored_not_analysed: 0,
    other_shards: 0,
  }
  let taken = 0
  let isWhole = false
  const unknownKeys = new Set<string>()
  let earlierUnknown = 0
  const done = () => sum.uploaded + sum.already_uploaded + sum.skipped_changed + sum.failed + sum.unknown
  return {
    /** Count an upload that is taken from the input. */
    take(): void {
      taken++
    },
    /** Count one that is taken and not sent. */
    skip(reason: SkipReason): void {
      if (reason === 'other_shard') sum.other_shards++
    },
    /** The input has been read to its end. */
    end(): void {
      isWhole = true
    },
    add<Tag>(result: UploadResult<Tag>): void {
      // An upload that another run may send has not failed; it counts as not sent.
      if (result.result === 'failed' && result.step === 'try_later') return
      sum[result.result]++
      if (result.result === 'unknown') unknownKeys.add(result.item.identity.key)
      if (result.result === 'already_uploaded' && result.by === 'source') sum.from_same_record++
      if (result.result === 'already_uploaded' && result.by === 'gone file') sum.from_gone_file++
      if (result.result === 'uploaded' && result.changedFrom !== undefined) sum.changed++
      if (result.result === 'uploaded' && result.transcript.processing_status === 'error') sum.stored_not_analysed++
    },
    /** Count what the ledger has as unknown, once all results are added. */
    addUnresolved(entries: readonly { key: string }[]): void {
      earlierUnknown = entries.filter(({ key }) => !unknownKeys.has(key)).length
    },
    summary(): UploadSummary {
      const notSent = isWhole ? taken - done() : null
      return { ...sum, earlier_unknown: notSent === 0 ? earlierUnknown : null, not_sent: notSent }
    },
  }
}
