import {
  type CallOptions,
  type Clock,
  everyItem,
  type FoundWrite,
  type ListEnd,
  type LostWrite,
  limits,
  type Match,
  mapConcurrent,
  optionsOf,
  ServiceError,
  type Stored,
  type SvcClient,
  searchWrites,
  sleep,
  stampOf,
  type TranscriptDetail,
} from '@svc/client'
import { count } from '@svc/text'
import { BulkError } from '../bulk-error.js'
import type { UnresolvedEntry } from './entry-states.js'
import { defaultTimeoutMs, statusOf, type Unidentified } from './events.js'
import { hashTurns, stampedKey, type Target } from './identity.js'
import type { Ledger } from './ledger.js'

interface Service {
  client: Pick<SvcClient, 'transcripts'>
  /** The options of the next call: the signal of the run, and what is left of its deadline. */
  call(): Pick<CallOptions, 'signal' | 'deadlineMs'>
}

export interface ReconcileOptions extends Service {
  target: Target
  clock: Pick<Required<Clock>, 'now' | 'monotonic' | 'after'>
  /** Attempt time-out of the uploads. Default: that of the client, 60 000. */
  timeoutMs?: number | undefined
  /** How long the list of the service may lag behind an upload. Default: that of the client, 15 000. */
  settleMs?: number | undefined
  /** The longest wait until absence is certain, in milliseconds. Default: no limit. */
  waitMs?: number | undefined
  /** Ends a wait, with its reason. Default: the signal of `call`. */
  stop?: AbortSignal | undefined
  /** Called before a wait until uploads can no longer arrive. */
  onWait?: ((ms: number) => void) | undefined
}

/** The result of an upload, as closed in the ledger; `open` if it was sent too recently to count as absent. */
export type Reconciled = { item: UnresolvedEntry } & (
  | { result: 'done'; id: string; status: string | undefined }
  | { result: 'unsent' }
  | { result: 'unknown'; candidates: string[] }
  | { result: 'open'; until: number }
)

/** The client's default of `settleMs`: the longest lag of a list that is survived, in milliseconds. */
const defaultSettleMs = 15_000
/** The largest assumed difference between the clocks of two runs, in milliseconds. */
const toleranceMs = 10 * 60_000

type SearchResult =
  /** `copies`: further ids under which it is stored. */
  | { result: 'done'; id: string; status: string | undefined; copies?: readonly string[] }
  | { result: 'absent' }
  /** Not found, in a list that may lack rows. */
  | { result: 'missing' }
  | { result: 'unknown'; candidates: string[] }

/**
 * Search the service for uploads whose result is unknown, and close them in the ledger: `done` if exactly one record
 * matches, or both of an upload that an owner which was replaced has sent, too; `unsent` if the upload is certainly absent,
 * else `unknown` with the ids of the candidates. Rejects as the calls do. With a key that may not read, everything stays
 * unknown.
 */
export async function reconcile(
  ledger: Pick<Ledger, 'close' | 'hasId'>,
  items: readonly UnresolvedEntry[],
  options: ReconcileOptions,
): Promise<Reconciled[]> {
  const { clock, waitMs = Number.POSITIVE_INFINITY } = options
  const { timeoutMs: ownTimeoutMs, settleMs } = timesOf(options)
  const startedAt = clock.monotonic()
  const reconciled: Reconciled[] = []
  const closeEntry = (item: UnresolvedEntry, searchResult: SearchResult) => {
    const each = reconciledAs(item, searchResult)
    if (searchResult.result === 'done')
      for (const id of searchResult.copies ?? []) ledger.close(item.key, { event: 'done', id })
    ledger.close(item.key, closingOf(each))
    reconciled.push(each)
  }
  // The intent time of an earlier run is not used: the clock may have been set since.
  const absentFrom = ({ knownSince = startedAt, timeoutMs = defaultTimeoutMs }: UnresolvedEntry) =>
    Math.min(knownSince, startedAt) + Math.max(ownTimeoutMs, timeoutMs) + settleMs

  let remaining = [...items]
  while (remaining.length > 0) {
    const searchedAt = clock.monotonic()
    const isDue = (item: UnresolvedEntry) => absentFrom(item) <= searchedAt
    const results = await searchAll(remaining, ledger, { ...options, provesAbsence: remaining.some(isDue) })
    if (!results) {
      for (const item of remaining) closeEntry(item, { result: 'unknown', candidates: [...item.candidates] })
      break
    }
    const resultOf = (item: UnresolvedEntry): SearchResult => results.get(item) ?? { result: 'missing' }
    const tooRecent = remaining.filter((item) => !isFinal(item, resultOf(item)) && absentFrom(item) > searchedAt)
    for (const item of remaining) if (!tooRecent.includes(item)) closeEntry(item, resultOf(item))
    remaining = tooRecent.filter((item) => absentFrom(item) - startedAt <= waitMs)
    for (const item of tooRecent)
      if (!remaining.includes(item))
        reconciled.push({ item, result: 'open', until: clock.now() + absentFrom(item) - clock.monotonic() })
    const ms = Math.max(0, ...remaining.map(absentFrom)) - clock.monotonic()
    if (remaining.length === 0 || ms <= 0) continue
    options.onWait?.(ms)
    await sleep(clock, ms, options.stop ?? options.call().signal)
  }
  return reconciled
}

/** True for what a later search cannot change. Of two copies, one may not be listed yet. */
const isFinal = ({ mayBeTwo }: UnresolvedEntry, searched: SearchResult): boolean =>
  mayBeTwo
    ? searched.result === 'done' && searched.copies !== undefined
    : searched.result === 'done' || searched.result === 'unknown'

function timesOf({ client, timeoutMs, settleMs }: Pick<ReconcileOptions, 'client' | 'timeoutMs' | 'settleMs'>) {
  const ofClient = optionsOf(client)
  return {
    timeoutMs: timeoutMs ?? ofClient.timeoutMs ?? defaultTimeoutMs,
    settleMs: settleMs ?? ofClient.settleMs ?? defaultSettleMs,
  }
}

function reconciledAs(item: UnresolvedEntry, searchResult: SearchResult): Exclude<Reconciled, { result: 'open' }> {
  if (searchResult.result === 'done') return { item, result: 'done', id: searchResult.id, status: searchResult.status }
  if (searchResult.result === 'unknown') return { item, ...searchResult }
  const stored = item.ids.at(-1)
  if (searchResult.result === 'absent' && stored !== undefined)
    return { item, result: 'done', id: stored, status: undefined }
  // The service said that it has it.
  const isKnown = searchResult.result === 'missing' || item.conflict
  return isKnown ? { item, result: 'unknown', candidates: [] } : { item, result: 'unsent' }
}

const closingOf = (reconciled: Exclude<Reconciled, { result: 'open' }>) => {
  const { result } = reconciled
  if (result === 'done') return { event: result, id: reconciled.id, status: reconciled.status }
  if (result === 'unsent') return { event: 'absent' as const }
  const { candidates, item } = reconciled
  return { event: result, candidates, ...(item.conflict && { conflict: true }) }
}

/**
 * Pages of a search that cannot prove absence, because uploads may still arrive. Without this bound, each restart of each
 * shard would read the whole list once more, and the list grows with the work.
 */
export const mostEarlyPages = 20

/** Undefined with a key that may not read. */
async function searchAll(
  items: readonly UnresolvedEntry[],
  ledger: Pick<Ledger, 'hasId'>,
  options: ReconcileOptions & { provesAbsence: boolean },
): Promise<Map<UnresolvedEntry, SearchResult> | undefined> {
  const groups = groupsOf(items)
  const writes = groups.map((group) => lostWriteOf(group, ledger, options.clock.now()))
  try {
    const list = listOf(options.target.project, options)
    const clock = { now: options.clock.now }
    // A stamp identifies a record, so that the rest of the list need not be read.
    if (writes.every(({ stamp }) => stamp)) {
      const { found } = await searchWrites(list, writes, { clock })
      const isAll = found.every(({ records }) => records.length === 1) && !items.some(({ mayBeTwo }) => mayBeTwo)
      if (isAll) return resultsOfAll(groups, found, false)
      if (!options.provesAbsence) {
        const early = await searchWrites(list, writes, { clock, isThorough: true, maxPages: mostEarlyPages })
        const results = resultsOfAll(groups, early.found, early.complete)
        return early.complete ? results : new Map([...results].filter(([, { result }]) => result === 'done'))
      }
    }
    const { found, complete } = await searchWrites(list, writes, { clock, isThorough: true })
    return resultsOfAll(groups, found, complete)
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'permission') return undefined
    throw error
  }
}

function listOf(project: string, { client, call }: Service) {
  return {
    async page(page: number) {
      const answer = await client.transcripts.list(project, { page, limit: limits.pageSize.max }, call()).withResponse()
      refuseMalformed(answer.data.data)
      return answer
    },
    read: (id: string) =>
      client.transcripts.get(id, call()).catch((error: unknown) => {
        if (error instanceof ServiceError && error.kind === 'not_found') return undefined
        throw error
      }),
  }
}

/** The client checks that the rows are objects; here every row needs an id. */
function refuseMalformed(rows: readonly { id?: unknown }[]): void {
  const faults = rows.flatMap(({ id }, i) =>
    typeof id === 'string' ? [] : [`/data/${i}/id expected a text, found ${kindOf(id)}`],
  )
  if (faults.length === 0) return
  const more = faults.length > shownFaults ? `; and ${faults.length - shownFaults} more` : ''
  throw new BulkError(
    'malformed_answer',
    `The service sent a malformed answer: ${faults.slice(0, shownFaults).join('; ')}${more}.`,
    { hint: 'check the base URL (SVC_BASE_URL and SVC_PUBLIC_BASE_URL); `svc api` shows the raw answer' },
  )
}

const shownFaults = 5

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : typeof value === 'boolean' ? 'true or false' : 'a number'
}

/** One group for each stamped item, and one for each set of equal items without a stamp. */
function groupsOf(items: readonly UnresolvedEntry[]): [UnresolvedEntry, ...UnresolvedEntry[]][] {
  const groups = new Map<string, [UnresolvedEntry, ...UnresolvedEntry[]]>()
  for (const item of items) {
    const { key, stamped, name, turns, externalId, turnsHash } = item
    const like = stamped === false ? JSON.stringify([name, turns, externalId, turnsHash]) : key
    const group = groups.get(like)
    if (group) group.push(item)
    else groups.set(like, [item])
  }
  return [...groups.values()]
}

function lostWriteOf(
  group: readonly [UnresolvedEntry, ...UnresolvedEntry[]],
  ledger: Pick<Ledger, 'hasId'>,
  now: number,
): LostWrite {
  const [item] = group
  const { key, occurrence, write, stamped, name, turns, externalId = null, mayBeTwo } = item
  return {
    since: Math.min(now, ...group.map(({ since }) => Date.parse(since))) - toleranceMs,
    fingerprint: { name, turn_count: turns, external_id: externalId },
    ownRecordIds: { has: ledger.hasId },
    // Intents of earlier versions have no `write`.
    stamp: stamped === false || write === undefined ? null : { key, occurrence, write },
    isOwnStamp: mayBeTwo ? 'twice' : true,
    matchContent: (record) => (stamped === false ? matchTurns(record, item) : matchKey(record, item)),
  }
}

function matchKey(record: Stored, { key }: UnresolvedEntry): Match {
  const shown = stampedKey(record)
  return shown === null ? 'not shown' : shown === key ? 'yes' : 'no'
}

function matchTurns(record: Stored, { turnsHash }: UnresolvedEntry): Match {
  if (typeof stampedKey(record) === 'string') return 'no'
  const { turns } = record
  const isShown = Array.isArray(turns) && turns.every((turn) => typeof turn === 'object' && turn !== null)
  return isShown ? (hashTurns(turns) === turnsHash ? 'yes' : 'altered') : 'not shown'
}

type Group = ReturnType<typeof groupsOf>[number]

const resultsOfAll = (groups: readonly Group[], foundWrites: readonly FoundWrite[], complete: boolean) =>
  new Map(groups.flatMap((group, i) => resultsOf(group, foundWrites[i], complete)))

/**
 * Equal items are found if exactly as many records match them; else no record can be assigned to an item. One that may be
 * stored twice is found once only in a whole list, and its stamp identifies both records.
 */
function resultsOf(
  items: readonly UnresolvedEntry[],
  { records, candidates }: FoundWrite = { records: [], candidates: [] },
  complete: boolean,
): [UnresolvedEntry, SearchResult][] {
  return items.map((item, i) => {
    const [first, ...others] = records
    if (item.mayBeTwo && item.stamped !== false && first && others.length > 0)
      return [item, { ...doneAs(first), copies: others.map(({ id }) => id) }]
    const record = records.length === items.length ? records[i] : undefined
    if (record && (!item.mayBeTwo || (complete && candidates.length === 0))) return [item, doneAs(record)]
    const likely = records.length > 0 ? records : candidates
    if (likely.length === 0) return [item, { result: complete ? 'absent' : 'missing' }]
    return [item, { result: 'unknown', candidates: likely.map(({ id }) => id) }]
  })
}

const doneAs = (record: Stored) => ({ result: 'done' as const, id: record.id, status: statusOf(record) })

/** The result of a rebuild. */
export interface Rebuilt {
  /** Transcripts in the project. */
  seen: number
  /** Those with a stamp. */
  stamped: number
  /** Those with a stamp of `svc upload` that were not in the ledger. */
  added: number
  /** Those that are a further copy of an upload: it is stored more than once. */
  copies: number
  /** Those that show no stamp. An upload that looks like one is not sent. */
  unidentified: number
  /** Of those, the ones that show no content either, or whose stamp is masked: `reconcileLedger` reads them again. */
  ambiguous: number
  /** False if the service may have more than it listed. */
  complete: boolean
}

/**
 * Add every stamped transcript of a project to the ledger, forgotten ones included, and note those that show no stamp: a
 * service may not show the stamps of uploads.
 */
export async function rebuild(
  ledger: Pick<Ledger, 'append' | 'item' | 'hasId' | 'ambiguous' | 'begin'>,
  project: string,
  service: Service,
): Promise<Rebuilt> {
  const rebuilt = { seen: 0, stamped: 0, added: 0, copies: 0, unidentified: 0, complete: false }
  const list = listOf(project, service)
  let hasBegun = false
  const fetchPage = async (page: number) => {
    const { data } = await list.page(page)
    if (!hasBegun) ledger.begin()
    hasBegun = true
    return data
  }
  // The next upload sends every transcript that is not in the ledger, so absence has to be proven here.
  const onEnd = ({ isWhole, incomplete, seen, total }: ListEnd) => {
    rebuilt.complete = isWhole || (!incomplete && seen === total)
  }
  const rows = () => everyItem(fetchPage, { isThorough: true, limit: limits.pageSize.max, onEnd })
  const add = async (row: TranscriptDetail): Promise<void> => {
    rebuilt.seen++
    const record = stampedKey(row) === null ? { ...row, ...(await list.read(row.id)) } : row
    const key = stampedKey(record)
    if (key === null && !ledger.hasId(record.id)) {
      rebuilt.unidentified++
      if (ledger.item(record.id)?.state === 'unidentified') return
      ledger.append({ event: 'unidentified', ...unidentifiedOf(record) })
    }
    if (typeof key !== 'string') return
    rebuilt.stamped++
    if (!ledger.item(key)?.ids.includes(record.id)) {
      addStored(ledger, key, record)
      rebuilt.added++
    }
    if (ledger.item(key)?.ids[0] !== record.id) rebuilt.copies++
  }
  const ids = new Set<string>()
  for await (const row of rows()) {
    ids.add(row.id)
    await add(row)
  }
  if (rebuilt.complete && ids.size > 0) {
    // A row that was removed meanwhile moved the others, and perhaps one of them to a page that was read before.
    for await (const row of rows()) if (!ids.delete(row.id)) await add(row)
    rebuilt.complete &&= ids.size === 0
  }
  return { ...rebuilt, ambiguous: ledger.ambiguous().length }
}

/**
 * Read the project again for a ledger whose rebuild was so recent that uploads of a run before it may not have been listed yet,
 * once they must be. Call it before an upload that the ledger lacks is sent. Rejects as the calls do.
 */
export async function completeRebuild(
  ledger: Pick<Ledger, 'append' | 'item' | 'hasId' | 'ambiguous' | 'rebuiltAt'>,
  options: Omit<ReconcileOptions, 'waitMs'>,
): Promise<void> {
  const { clock, target, stop, onWait } = options
  const { timeoutMs, settleMs } = timesOf(options)
  const listedMs = timeoutMs + settleMs
  const ms = Math.min(listedMs, (ledger.rebuiltAt() ?? Number.NEGATIVE_INFINITY) + listedMs - clock.now())
  if (!(ms > 0)) return
  onWait?.(ms)
  await sleep(clock, ms, stop ?? options.call().signal)
  const { complete, seen } = await rebuild({ ...ledger, begin() {} }, target.project, options)
  if (complete) return
  throw new BulkError(
    'list_incomplete',
    `The ledger was rebuilt just now, and the list of the project may not be complete: it shows ${count(seen, 'transcript')}.`,
    { hint: 'run `svc uploads rebuild` again' },
  )
}

/** Add a stored transcript to the ledger, as an upload that it lacks or as another id of one. */
function addStored(ledger: Pick<Ledger, 'append'>, key: string, record: TranscriptDetail): void {
  const { id, name, turn_count: turns, external_id: externalId, metadata } = record
  const status = statusOf(record)
  const { occurrence = 1 } = stampOf(record) ?? {}
  const part: unknown = Object(Object(metadata).part).index
  ledger.append({
    event: 'done',
    key,
    id,
    ...(status !== undefined && { status }),
    ...(typeof name === 'string' && { name }),
    ...(typeof turns === 'number' && { turns }),
    ...(typeof externalId === 'string' && { externalId }),
    ...(occurrence > 1 && { occurrence }),
    ...(typeof part === 'number' && part > 1 && { part }),
  })
}

/**
 * Read the transcripts again that may be any upload of the ledger, and note what they show now. Resolves to the number of
 * those that are identified by it. Rejects as the calls do; a key that may not read identifies none.
 */
export async function identify(
  ledger: Pick<Ledger, 'append' | 'ambiguous'>,
  project: string,
  service: Service,
): Promise<number> {
  const before = ledger.ambiguous()
  const list = listOf(project, service)
  const read = (id: string) =>
    list.read(id).catch((error: unknown) => {
      if (error instanceof ServiceError && error.kind === 'permission') return undefined
      throw error
    })
  for await (const { input, ...answer } of mapConcurrent(before, ({ key }) => read(key))) {
    if (answer.status === 'rejected') throw answer.reason
    if (!answer.value) continue
    const record = answer.value
    const key = stampedKey(record)
    if (key === null) {
      const shown = unidentifiedOf(record)
      if (!shown.ambiguous) ledger.append({ event: 'unidentified', ...shown })
      continue
    }
    ledger.append({ event: 'forgotten', key: input.key })
    if (key !== undefined) addStored(ledger, key, record)
  }
  return before.length - ledger.ambiguous().length
}

/** A text without words, or with such a word alone: a service wrote it in place of another. */
const masked = /^[^\p{L}\p{N}]*$|^\W*(redacted|masked|hidden|removed)\W*$/iu

/** Marks that a service writes into a text in place of a part of it. */
const partlyMasked = /redacted|[█•]{2}|[[<(](masked|hidden|removed)[\])>]/i

/** True for contents of turns of which some are not shown, or that are all masked. */
const isContentMasked = (contents: readonly unknown[]): boolean =>
  !contents.every((content): content is string => typeof content === 'string' && !partlyMasked.test(content)) ||
  contents.every((content) => masked.test(String(content)))

function unidentifiedOf(record: TranscriptDetail): Unidentified {
  const { id, name, turn_count, external_id, turns } = record
  const isShown = Array.isArray(turns) && !isContentMasked(turns.map((turn) => Object(turn).content))
  return {
    key: id,
    ...(typeof name === 'string' && { name }),
    ...(typeof turn_count === 'number' && { turns: turn_count }),
    ...((typeof external_id === 'string' || external_id === null) && { externalId: external_id }),
    ...(isShown && { turnsHash: hashTurns(turns) }),
    // A service that masks the stamp may mask a part of the content, too.
    ...((!isShown || 'svc' in Object(record.metadata)) && { ambiguous: true }),
  }
}
