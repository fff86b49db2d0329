import {
  type CallOptions,
  type Clock,
  everyItem,
  type FoundWrite,
  type LostWrite,
  limits,
  type Match,
  ServiceError,
  type Stored,
  type SvcClient,
  searchWrites,
  stampOf,
} from '@svc/client'
import { refuseMalformed, wrongItems } from '../errors/index.js'
import type { UnresolvedEntry } from './entry-states.js'
import { statusOf } from './events.js'
import { stampedKey, type Target, turnsHash } from './identity.js'
import type { Ledger } from './ledger.js'

interface Service {
  client: Pick<SvcClient, 'transcripts'>
  /** The options of each call: the signal that stops the run, what is left of its deadline. */
  call(): Pick<CallOptions, 'signal' | 'deadlineMs'>
}

export interface ReconcileOptions extends Service {
  target: Target
  clock: Pick<Clock, 'now' | 'after'>
  /** How long an attempt may have taken, in milliseconds. */
  timeoutMs: number
  /** The longest wait, in milliseconds, until what is not there can no longer come. Default: as long as it takes. */
  waitMs?: number
  /** Told before a wait. */
  onWait?(ms: number): void
}

/** What became of an item: as it is now closed in the ledger, or still open since it is too young to be missed. */
export type Reconciled = { item: UnresolvedEntry } & (
  | { result: 'done'; id: string; status: string | undefined }
  | { result: 'unsent' }
  | { result: 'unknown'; candidates: string[] }
  | { result: 'open'; until: number }
)

/** How long an upload may take where nothing else says it, in milliseconds: the client's own default. */
export const defaultTimeoutMs = 60_000
/** How long a request may still be at work at the service after its time-out. */
export const settleMs = 5_000
/** How far apart the clock of an earlier run and this one's are taken to be at most. */
const toleranceMs = 10 * 60_000

/** What was found of an item at the service. */
type SearchResult =
  | { result: 'done'; id: string; status: string | undefined }
  | { result: 'absent' }
  | { result: 'unknown'; candidates: string[] }

/**
 * Settles items whose fate is not known by looking at the service, and closes them in the ledger: found once, they are
 * `done`; provably not there, `unsent`; else `unknown` with the ids that they may be. Rejects as the calls do, but for a
 * key that may not read, which leaves everything unknown.
 */
export async function reconcile(
  ledger: Pick<Ledger, 'markQueried' | 'close' | 'claimed'>,
  items: readonly UnresolvedEntry[],
  options: ReconcileOptions,
): Promise<Reconciled[]> {
  const { clock, waitMs = Number.POSITIVE_INFINITY } = options
  const startedAt = clock.now()
  const settled: Reconciled[] = []
  const settle = (item: UnresolvedEntry, finding: SearchResult) => {
    const each: Reconciled = finding.result === 'absent' ? { item, result: 'unsent' } : { item, ...finding }
    ledger.close(item.key, closingOf(each))
    settled.push(each)
  }
  // The time of an intent of an earlier run counts for nothing: the clock may have been set since.
  const absentFrom = ({ knownSince = startedAt, timeoutMs = 0 }: UnresolvedEntry) =>
    Math.min(knownSince, startedAt) + Math.max(options.timeoutMs, timeoutMs) + settleMs

  ledger.markQueried(items.map(({ key }) => key))
  let left = [...items]
  while (left.length > 0) {
    const lookedAt = clock.now()
    const findings = await searchAll(left, ledger, options)
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

const closingOf = (settled: Exclude<Reconciled, { result: 'open' }>) => {
  const { result } = settled
  if (result === 'done') return { event: result, id: settled.id, status: settled.status }
  return result === 'unknown' ? { event: result, candidates: settled.candidates } : { event: result }
}

async function searchAll(
  items: readonly UnresolvedEntry[],
  ledger: Pick<Ledger, 'claimed'>,
  options: ReconcileOptions,
): Promise<Map<UnresolvedEntry, SearchResult>> {
  const groups = groupsOf(items)
  const writes = groups.map((group) => lostWriteOf(group, ledger, options.clock.now()))
  try {
    const list = listOf(options.target.project, options)
    const { found, complete } = await searchWrites(list, writes, { now: options.clock.now, isThorough: true })
    return new Map(groups.flatMap((group, i) => resultsOf(group, found[i], complete)))
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'permission') throw error
    return new Map(items.map((item) => [item, { result: 'unknown', candidates: [...item.candidates] }]))
  }
}

/** The transcripts of a project, of which each must have an id. */
function listOf(project: string, { client, call }: Service) {
  return {
    async page(page: number) {
      const answer = await client.transcripts.list(project, { page, limit: limits.pageSize.max }, call()).withResponse()
      refuseMalformed(wrongItems(answer.data.data, '/data', { id: 'a text' }))
      return answer
    },
    read: (id: string) =>
      client.transcripts.get(id, call()).catch((error: unknown) => {
        if (error instanceof ServiceError && error.kind === 'not_found') return undefined
        throw error
      }),
  }
}

/** Items that bear a stamp alone, and those without one that cannot be told apart together. */
function groupsOf(items: readonly UnresolvedEntry[]): [UnresolvedEntry, ...UnresolvedEntry[]][] {
  const groups = new Map<string, [UnresolvedEntry, ...UnresolvedEntry[]]>()
  for (const item of items) {
    const { key, stamped, name, turns, externalId, words } = item
    const like = stamped === false ? JSON.stringify([name, turns, externalId, words]) : key
    const group = groups.get(like)
    if (group) group.push(item)
    else groups.set(like, [item])
  }
  return [...groups.values()]
}

function lostWriteOf(
  group: readonly [UnresolvedEntry, ...UnresolvedEntry[]],
  ledger: Pick<Ledger, 'claimed'>,
  now: number,
): LostWrite {
  const [item] = group
  const { key, occurrence, write, stamped, name, turns, externalId = null, ids } = item
  return {
    since: Math.min(now, ...group.map(({ since }) => Date.parse(since))) - toleranceMs,
    fingerprint: { name, turn_count: turns, external_id: externalId },
    ownRecordIds: { has: stamped === false ? ledger.claimed : (id) => ids.includes(id) },
    // Ledgers of earlier versions hold intents without a `write`.
    stamp: stamped === false || write === undefined ? null : { key, occurrence, write },
    matchContent: (record) => (stamped === false ? matchTurns(record, item) : matchKey(record, item)),
  }
}

function matchKey(record: Stored, { key }: UnresolvedEntry): Match {
  const shown = stampedKey(record)
  return shown === null ? 'not shown' : shown === key ? 'yes' : 'no'
}

function matchTurns(record: Stored, { words }: UnresolvedEntry): Match {
  if (typeof stampedKey(record) === 'string') return 'no'
  const { turns } = record
  const isShown = Array.isArray(turns) && turns.every((turn) => typeof turn === 'object' && turn !== null)
  return isShown ? (turnsHash(turns) === words ? 'yes' : 'altered') : 'not shown'
}

const hasStamp = (record: Stored, { key, write }: UnresolvedEntry): boolean => {
  const stamp = stampOf(record)
  return write !== undefined && stamp?.write === write && stamp.key === key
}

/** Equal items are all found where exactly as many records are their work; else nobody can tell which is whose. */
function resultsOf(
  items: readonly UnresolvedEntry[],
  { records, candidates }: FoundWrite = { records: [], candidates: [] },
  complete: boolean,
): [UnresolvedEntry, SearchResult][] {
  return items.map((item, i) => {
    // The time of an intent may be that of a wrong clock; its stamp is sure whenever the record was made.
    const sure = records.length > 0 ? records : candidates.filter((record) => hasStamp(record, item))
    const record = sure.length === items.length ? sure[i] : undefined
    if (record) return [item, { result: 'done', id: record.id, status: statusOf(record) }]
    const likely = sure.length > 0 ? sure : candidates
    if (likely.length === 0 && complete) return [item, { result: 'absent' }]
    return [item, { result: 'unknown', candidates: likely.map(({ id }) => id) }]
  })
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

/** What a look through a project has brought into the ledger. */
export interface Rebuilt {
  /** Transcripts of the project. */
  seen: number
  /** Those that bear a stamp. */
  stamped: number
  /** Those that the ledger did not know to be stored. */
  added: number
}

/** Reads every transcript of a project, and notes as stored what bears a stamp. */
export async function rebuild(
  ledger: Pick<Ledger, 'append' | 'claimed'>,
  project: string,
  service: Service,
): Promise<Rebuilt> {
  const rebuilt: Rebuilt = { seen: 0, stamped: 0, added: 0 }
  const list = listOf(project, service)
  for await (const row of everyItem(async (page) => (await list.page(page)).data, limits.pageSize.max)) {
    rebuilt.seen++
    const record = stampedKey(row) === null ? await list.read(row.id) : row
    const key = record && stampedKey(record)
    if (!record || typeof key !== 'string') continue
    rebuilt.stamped++
    if (ledger.claimed(record.id)) continue
    const { id, name, turn_count: turns } = record
    const status = statusOf(record)
    ledger.append({
      event: 'done',
      key,
      id,
      ...(status !== undefined && { status }),
      ...(typeof name === 'string' && { name }),
      ...(typeof turns === 'number' && { turns }),
    })
    rebuilt.added++
  }
  return rebuilt
}
