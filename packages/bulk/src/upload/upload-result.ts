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
   * The ledger has it. `by`: the same content, another upload of the same `source`, or a transcript without a stamp that has
   * the same content; or the service has it under the same id (`id`), as another process has stored it. `isOfOtherRecord`: by
   * its content, which the ledger knows of other records only.
   */
  | {
      result: 'already_uploaded'
      id: string
      by: 'key' | 'source' | 'same_content' | 'id'
      isOfOtherRecord?: boolean | undefined
    }
  /** Not sent, because an earlier run stored other content under its external id (`skipChanged`). */
  | { result: 'skipped_changed'; changedFrom: string }
  /** Not sent, because it has the content and external id of an earlier one of this run (`dedupe`). */
  | { result: 'skipped_duplicate' }
  /** It may be stored: its answer was lost, or it was stopped under way, now or in an earlier run. */
  | { result: 'unknown'; error: unknown; step: NextStep; candidates: readonly string[] }
  /**
   * It is not stored, and another run will not store it unless something is corrected, as `step` says. `allRefused`: the
   * number of requests since the start of the run that a gateway refused, all of them.
   */
  | { result: 'failed'; error: unknown; step: NextStep; allRefused?: number }
  /** It is not stored, and another run may store it. `error`: why its request failed; absent if the run stopped before it. */
  | { result: 'not_sent'; error?: unknown; step?: NextStep }
)

/** The result of an upload that is not stored. */
export const notStored = <Tag>(
  item: UploadItem<Tag>,
  failure: { error: unknown; step: NextStep; allRefused?: number },
): UploadResult<Tag> => ({ item, result: failure.step === 'try_later' ? 'not_sent' : 'failed', ...failure })

/** How a bulk upload went, in numbers: one for each kind of result, and what some of them have in common. */
export interface UploadSummary {
  /** Sent and stored. */
  uploaded: number
  /** Stored by an earlier run, and not sent again. */
  already_uploaded: number
  /** Of those, the ones that were made of the same record as another upload before. */
  from_same_record: number
  /** Sent and stored, although an earlier run stored other content under the same external id. */
  changed: number
  /** Not sent for that reason (`skipChanged`). */
  skipped_changed: number
  /** Not sent, because an earlier one of this run has the same content and external id (`dedupe`). */
  skipped_duplicate: number
  /** Not stored, and another run will not store them unless something is corrected. */
  failed: number
  /** They may be stored. */
  unknown: number
  /**
   * Uploads of earlier runs that are not in this input and may be stored: `reconcileLedger` searches for them. Null if the
   * run did not come to its end.
   */
  earlier_unknown: number | null
  /**
   * Not stored, and left for another run: the results `not_sent`, and the uploads of the input that were not read. Null if
   * the number of the latter is unknown, or if the iteration was left before its end.
   */
  not_sent: number | null
  /** Stored, but their annotation could not be started. */
  stored_not_analysed: number
  /** The work of other shards, which have the results. */
  other_shards: number
}

/** Counts the uploads of an input and their results. `total`: the number of uploads with a result in this run, if known. */
export function createTally(total?: number) {
  const counts = {
    uploaded: 0,
    already_uploaded: 0,
    from_same_record: 0,
    changed: 0,
    skipped_changed: 0,
    skipped_duplicate: 0,
    failed: 0,
    unknown: 0,
    not_sent: 0,
    stored_not_analysed: 0,
    other_shards: 0,
  }
  let taken = 0
  let results = 0
  let isWhole = false
  let isLeftOff = false
  const unknownKeys = new Set<string>()
  let earlierUnknown = 0
  const notSent = () => {
    if (isLeftOff) return null
    if (total !== undefined) return total - results + counts.not_sent
    return isWhole && results === taken ? counts.not_sent : null
  }
  return {
    /** Count an upload that is taken from the input. */
    take(): void {
      taken++
    },
    /** Count one of another shard. */
    leave(): void {
      counts.other_shards++
    },
    /** The input has been read to its end. */
    end(): void {
      isWhole = true
    },
    /** The results are no longer asked for. */
    leaveOff(): void {
      isLeftOff = true
    },
    /** Count a result. */
    add<Tag>(result: UploadResult<Tag>): void {
      results++
      counts[result.result]++
      if (result.result === 'unknown') unknownKeys.add(result.item.identity.key)
      if (result.result === 'already_uploaded' && result.by === 'source') counts.from_same_record++
      if (result.result === 'uploaded' && result.changedFrom !== undefined) counts.changed++
      if (result.result === 'uploaded' && result.transcript.processing_status === 'error') counts.stored_not_analysed++
    },
    /** Count what the ledger has as unknown, once all results are added. */
    addUnresolved(entries: readonly { key: string }[]): void {
      earlierUnknown = entries.filter(({ key }) => !unknownKeys.has(key)).length
    },
    /** The counts until now. */
    summary(): UploadSummary {
      const not_sent = notSent()
      return { ...counts, earlier_unknown: not_sent === 0 ? earlierUnknown : null, not_sent }
    },
  }
}
