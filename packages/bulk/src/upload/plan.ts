import type { TranscriptUpload } from '@svc/client'
import { BulkError } from '../bulk-error.js'
import { type EntryState, type ReadOptions, readStates, type Target } from '../ledger/index.js'
import type { Shard } from '../shard.js'
import { digestOf, fingerprintOf, jsonOf, type PreparedUpload, type ReadyUpload, type UploadItem } from './prepare.js'

/**
 * An upload of a plan. Its JSON is held if there is room for it; else it is made again and compared with the digest. A
 * duplicate that is skipped has neither.
 */
export type PlannedUpload<Tag = undefined> = {
  /** The upload without its content. */
  item: UploadItem<Tag>
} & ({ json: string } | { digest: string } | { skipped: 'skipped_duplicate' })

/** An upload that must not be sent. */
export interface InvalidUpload<Tag, Found> {
  /** The upload without its content. */
  item: UploadItem<Tag>
  /** The bounds that it violates. */
  violations: readonly Found[]
  /** Its body, with `keepsInvalid`. */
  json?: string | undefined
}

/** The uploads of a run, and all problems that forbid them, before anything is sent. */
export interface UploadPlan<Tag, Found> {
  /** The uploads, in the order of the input, with the duplicates that are skipped. With `preview`, only the latter. */
  items: PlannedUpload<Tag>[]
  /** Uploads that must not be sent. */
  invalid: InvalidUpload<Tag, Found>[]
  /** Violations of a stricter reading of the bounds. */
  warnings: Found[]
  /** The number of uploads to send. */
  planned: number
  /** The number of uploads that are the work of other shards. */
  other_shards: number
}

/** Options of `planUploads`. */
export interface PlanOptions<Tag> {
  /** Keep the bodies of invalid uploads. Default false. */
  keepsInvalid?: boolean | undefined
  /** Called for each planned upload instead of keeping it, and for each duplicate that is skipped. */
  preview?: ((item: UploadItem<Tag>, skipped?: 'skipped_duplicate') => Promise<void>) | undefined
}

/** The bytes of bodies that a plan holds in memory. */
const heldBytes = 32 << 20

/** Plan all uploads before any is sent. */
export async function planUploads<Tag, Found>(
  uploads: AsyncIterable<PreparedUpload<Tag, Found>>,
  { keepsInvalid, preview }: PlanOptions<Tag> = {},
): Promise<UploadPlan<Tag, Found>> {
  const plan: UploadPlan<Tag, Found> = {
    items: [],
    invalid: [],
    warnings: [],
    planned: 0,
    other_shards: 0,
  }
  let held = 0
  for await (const { item, json, violations, warnings, decision } of uploads) {
    plan.warnings.push(...warnings)
    if (decision === 'invalid') plan.invalid.push({ item, violations, ...(keepsInvalid && { json }) })
    if (decision === 'other_shard') plan.other_shards++
    const isDuplicate = decision === 'skipped_duplicate'
    if (isDuplicate) plan.items.push({ item, skipped: decision })
    if (isDuplicate) await preview?.(item, decision)
    if (decision !== 'send' && decision !== 'send_duplicate') continue
    plan.planned++
    if (preview) await preview(item)
    else {
      held += item.bytes
      plan.items.push(held <= heldBytes ? { item, json } : { item, digest: digestOf(json) })
    }
  }
  return plan
}

/** An upload that is not sent, because it has the content and external id of an earlier one (`dedupe`). */
export interface SkippedUpload<Tag = undefined> {
  /** The upload without its content. */
  item: UploadItem<Tag>
  /** Its result. */
  skipped: 'skipped_duplicate'
}

/** An upload that cannot be sent: its result is `failed`, with this error, and the others go on. */
export interface UnsendableUpload<Tag = undefined> {
  /** The upload without its content. */
  item: UploadItem<Tag>
  /** Why it cannot be sent. */
  error: unknown
}

/**
 * The uploads of a plan with their JSON. `reread` reads the upload of an item once more; undefined if its source no longer
 * has it. Items are asked for in their order. Ends once `stop` is aborted.
 */
export async function* withBodies<Tag>(
  items: readonly PlannedUpload<Tag>[],
  reread: (item: UploadItem<Tag>) => Promise<TranscriptUpload | undefined>,
  stop?: AbortSignal,
): AsyncGenerator<ReadyUpload<Tag> | UnsendableUpload<Tag> | SkippedUpload<Tag>, void, undefined> {
  for (const planned of items) {
    if (!('digest' in planned)) {
      yield planned
      continue
    }
    const { item, digest } = planned
    try {
      const upload = await reread(item)
      const json = upload && jsonOf(upload, item)
      yield json !== undefined && digestOf(json) === digest ? { item, json } : { item, error: changed(item) }
    } catch (cause) {
      if (stop?.aborted) return
      yield { item, error: changed(item, cause) }
    }
  }
}

function changed({ label }: UploadItem<unknown>, cause?: unknown): BulkError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  const why = code === undefined ? 'it changed after it was checked' : `it is no longer readable (${code})`
  return new BulkError('changed', `${label}: ${why}, so it was not sent.`, {
    hint: 'run it again when the files no longer change',
    ...(cause !== undefined && { cause }),
  })
}

/** What the ledger says about an upload of a plan, before anything is sent. */
export interface UploadStates {
  /** The state of the upload; undefined if the ledger has none. */
  stateOf(item: UploadItem<unknown>): EntryState | undefined
  /** The id under which an earlier run last stored the same external id with other content. */
  changedFrom(item: UploadItem<unknown>): string | undefined
  /** The id under which an external id was last stored, whatever its content. */
  storedAs(externalId: string): string | undefined
}

/** The states of a target's uploads, without a lock and without a write. Another process may write meanwhile. */
export async function readUploadStates(
  folder: string | undefined,
  target: Target,
  options: ReadOptions & { shard?: Shard | undefined } = {},
): Promise<UploadStates> {
  const states = await readStates(folder, target, options)
  return {
    stateOf: (item) => states.stateOf(item.identity, fingerprintOf(item)),
    changedFrom: ({ identity, externalId }) => states.changedFrom(identity, externalId),
    storedAs: (externalId) => states.changedFrom({ content: '', part: 1 }, externalId),
  }
}
