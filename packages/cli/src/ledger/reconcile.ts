import {
  type CallOptions,
  type Clock,
  ServiceError,
  type SvcClient,
  type TranscriptDetail,
  type TranscriptRow,
} from '@svc/client'
import { stampedKey, type Target } from './identity.js'
import type { Ledger } from './ledger.js'
import { look } from './look.js'
import { type Finding, matchAll, mayBe } from './match.js'
import type { OpenItem } from './standings.js'
import { whole } from './whole.js'

export interface ReconcileOptions {
  client: Pick<SvcClient, 'transcripts'>
  target: Target
  clock: Pick<Clock, 'now' | 'after'>
  /** The options of each call: the signal that stops the run, what is left of its deadline. */
  call(): Pick<CallOptions, 'signal' | 'deadlineMs'>
  /** How long an attempt may have taken, in milliseconds. */
  timeoutMs: number
  /** The longest wait, in milliseconds, until what is not there can no longer come. Default: as long as it takes. */
  waitMs?: number
  /** Told before a wait. */
  onWait?(ms: number): void
}

/** What became of an item: as it is now closed in the ledger, or still open since it is too young to be missed. */
export type Settled = { item: OpenItem } & (
  | { result: 'done'; id: string; status: string | undefined }
  | { result: 'unsent' }
  | { result: 'unknown'; candidates: string[] }
  | { result: 'open'; until: number }
)

/** How long an upload may take where nothing else says it, in milliseconds: the client's own default. */
export const usualTimeoutMs = 60_000
/** How long a request may still be at work at the service after its time-out. */
export const settleMs = 5_000
/** Records that are read singly when the list does not show what tells them apart. */
const singleReads = 500

/**
 * Settles items whose fate is not known by looking at the service, and closes them in the ledger: found once, they are
 * `done`; provably not there, `unsent`; else `unknown` with the ids that they may be. Rejects as the calls do, but for a
 * key that may not read, which leaves everything unknown.
 */
export async function reconcile(
  ledger: Pick<Ledger, 'asked' | 'close' | 'claimed'>,
  items: readonly OpenItem[],
  options: ReconcileOptions,
): Promise<Settled[]> {
  const { clock, waitMs = Number.POSITIVE_INFINITY } = options
  const startedAt = clock.now()
  const settled: Settled[] = []
  const settle = (item: OpenItem, finding: Finding) => {
    const each: Settled = finding.result === 'absent' ? { item, result: 'unsent' } : { item, ...finding }
    ledger.close(item.key, closingOf(each))
    settled.push(each)
  }
  // The time of an intent of an earlier run counts for nothing: the clock may have been set since.
  const absentFrom = ({ knownSince = startedAt, timeoutMs = 0 }: OpenItem) =>
    Math.min(knownSince, startedAt) + Math.max(options.timeoutMs, timeoutMs) + settleMs

  ledger.asked(items.map(({ key }) => key))
  let left = [...items]
  while (left.length > 0) {
    const lookedAt = clock.now()
    const findings = await findAll(left, ledger, options)
    const young = left.filter((item) => findings.get(item)?.result === 'absent' && absentFrom(item) > lookedAt)
    for (const item of left) if (!young.includes(item)) settle(item, findings.get(item) ?? { result: 'absent' })
    left = young.filter((item) => absentFrom(item) - startedAt <= waitMs)
    for (const item of young) if (!left.includes(item)) settled.push({ item, result: 'open', until: absentFrom(item) })
    const ms = Math.max(0, ...left.map(absentFrom)) - clock.now()
    if (left.length === 0 || ms <= 0) continue
    options.onWait?.(ms)
    await pause(clock, ms, options.call().signal)
  }
  return settled
}

const closingOf = (settled: Exclude<Settled, { result: 'open' }>) => {
  const { result } = settled
  if (result === 'done') return { event: result, id: settled.id, status: settled.status }
  return result === 'unknown' ? { event: result, candidates: settled.candidates } : { event: result }
}

async function findAll(
  items: readonly OpenItem[],
  ledger: Pick<Ledger, 'claimed'>,
  options: ReconcileOptions,
): Promise<Map<OpenItem, Finding>> {
  const nobodyKnows = (candidates: string[]): Finding => ({ result: 'unknown', candidates })
  try {
    const { rows, isComplete } = await look({
      client: options.client,
      project: options.target.project,
      since: Math.min(...items.map(({ since }) => Date.parse(since))),
      now: options.clock.now,
      call: options.call,
      isWanted: isWantedBy(items),
    })
    const records: (TranscriptDetail | undefined)[] = []
    for (const row of rows.slice(0, singleReads)) {
      records.push(isKnownOf(row, items) ? row : await whole(row, options))
    }
    const findings = matchAll(
      items,
      records.flatMap((record) => record ?? []),
      ledger.claimed,
    )
    if (isComplete && rows.length <= singleReads) return findings
    return new Map([...findings].map(([item, found]) => [item, found.result === 'absent' ? nobodyKnows([]) : found]))
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'permission') throw error
    return new Map(items.map((item) => [item, nobodyKnows([...item.candidates])]))
  }
}

/** Whether a row itself shows whether it is one of the items. */
const isKnownOf = (row: TranscriptRow, items: readonly OpenItem[]): boolean =>
  stampedKey(row) !== null && !items.some((item) => item.stamped === false && mayBe(item, row))

/** Most rows are those of other uploads, of which there may be very many. */
function isWantedBy(items: readonly OpenItem[]): (row: TranscriptRow) => boolean {
  const keys = new Set(items.map(({ key }) => key))
  const unstamped = items.filter(({ stamped }) => stamped === false)
  return (row) => {
    const key = stampedKey(row)
    if (typeof key === 'string') return keys.has(key)
    if (key === null && unstamped.length < items.length) return true
    return unstamped.some((item) => mayBe(item, row))
  }
}

/** Resolves after so many milliseconds, or rejects at once with the signal's reason. */
function pause(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}
