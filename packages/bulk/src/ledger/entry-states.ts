import { type Disk, type MachineTime, nodeDisk } from '../environment/index.js'
import type { Shard } from '../shard.js'
import { fold, hasUnknownOutcome, type Intent, type Item, type LedgerEvent, type Unidentified } from './events.js'
import { cannotOpen, unfinished } from './failure.js'
import { draftEvents, draftOf, eachEvent, fileOf, ledgerFiles, type ReadOptions, unfinishedRebuilds } from './files.js'
import { type Identity, isInShard, keyOf, normalTarget, type Target, withPart } from './identity.js'
import { createUnidentified, type Fingerprint } from './unidentified.js'

/** Names the shard of a ledger's lock in its `opened` events. */
export const shardKey = (shard: Shard | undefined): string => (shard ? `${shard.index + 1}/${shard.of}` : '')

/** The state of an upload in the ledger. */
export type EntryState =
  /**
   * `by`: whether this upload was stored, or another one that was made of the same record, or a transcript that looks the same.
   * `isOfOtherRecord`: by its key, and the ledger does not know its record.
   */
  | { state: 'done'; id: string; by: 'key' | 'source' | 'same_content'; isOfOtherRecord?: boolean }
  /** `key`: that of the entry, which may be of another upload of the same record. `at`: when it was sent, in ISO 8601. */
  | { state: 'open' | 'unknown'; key: string; at: string; candidates: string[] }
  /** Transcripts without a stamp may be it: their shown fields are equal. */
  | { state: 'unidentified'; candidates: string[] }
  | { state: 'refused'; status: number }
  | { state: 'unsent' }

/** An upload whose result is unknown. Times in ISO 8601, by the clock of the machine that sent it. */
export interface UnresolvedEntry extends Intent {
  state: 'open' | 'unknown'
  /** When it was first sent with a result that is still unknown. */
  since: string
  /** When it was last sent. */
  at: string
  /** Ids of records that may be this upload. */
  candidates: readonly string[]
  /** True if the service answered that it has it. */
  conflict?: boolean | undefined
  /** True if it may be stored twice, because an owner that was replaced may have sent it after the next one. */
  mayBeTwo: boolean
  /** Ids under which it was stored before. */
  ids: readonly string[]
  /** The openings of the ledger since it was last sent, on any machine, the first one first. */
  openings: readonly MachineTime[]
  /**
   * When this process last began to send it, else when the ledger was first opened since it was sent, as far as this machine
   * knows, in milliseconds of the monotonic clock of this process.
   */
  knownSince?: number | undefined
}

export type EntryStates = ReturnType<typeof createEntryStates>

/** The states of a target's uploads, without a lock and without a write. Another process may write meanwhile. */
export async function readStates(
  folder: string | undefined,
  target: Target,
  { skipped, disk = nodeDisk, checkpoint, shard }: ReadOptions & { shard?: Shard | undefined } = {},
): Promise<Pick<EntryStates, 'stateOf' | 'changedFrom'>> {
  const states = createEntryStates(target, shard)
  if (folder === undefined) return states
  try {
    await replayFiles(states, { disk, folder, target, shard, skipped, checkpoint, isForUpload: true })
  } catch (error) {
    throw cannotOpen(folder, error)
  }
  return states
}

/**
 * Read the ledger files of a target into its states.
 *
 * @throws {BulkError} `isForUpload`: if an upload could store something twice, because a rebuild has not ended and the file of the shard is missing, or lacks uploads that the rebuild has found
 */
export async function replayFiles(
  states: EntryStates,
  read: ReadOptions & { disk: Disk; folder: string; target: Target; shard: Shard | undefined; isForUpload: boolean },
): Promise<void> {
  const { disk, folder, target, shard, skipped, checkpoint } = read
  const files = ledgerFiles(disk, folder, { target, skipped })
  await eachEvent(disk, files, states.replay, checkpoint)
  const keys = states.withoutIntent()
  // As after an owner that was replaced: it has stored what the next one could not find for certain.
  if (keys.size > 0)
    await eachEvent(disk, files, (event) => event.event === 'intent' && states.keepIntent(keys, event), checkpoint)
  if (!read.isForUpload) return
  const draft = draftOf(fileOf(folder, target))
  if (!unfinishedRebuilds(folder, disk).some(({ path }) => path === draft)) return
  const isThere = files.some(({ header }) => header.shard?.index === shard?.index && header.shard?.of === shard?.of)
  const hasNewUploads = draftEvents(disk, draft).some((event) => event.event === 'done' && !states.hasId(event.id))
  if (!isThere || hasNewUploads) throw unfinished(draft, normalTarget(target))
}

/** The states of all uploads to a target. Their number has no bound, so little more than the id of a stored one is kept. */
export function createEntryStates(target: Target, shard: Shard | undefined) {
  // One function: each event changes several of the maps, which stay in step only here.
  /** By key: the item, or only its id once it is stored under one. */
  const items = new Map<string, Item | string>()
  /** By source and part: the last upload that was made of the record. */
  const bySource = new Map<string, Pick<Identity, 'key' | 'occurrence'>>()
  /** By external id and part: the last upload of earlier runs, else one that a rebuild found, whose content is unknown. */
  const byExternalId = new Map<string, { key: string; content?: string; occurrence: number }>()
  const ids = createKnownIds(items)
  const unidentified = createUnidentified()
  let last = 0
  let rebuiltAt: number | undefined
  const openings: MachineTime[] = []

  function itemOf(key: string): Item | undefined {
    const item = items.get(key)
    return typeof item === 'string'
      ? { state: 'done', key, ids: [item], at: '', run: '', candidates: [], attempts: [] }
      : item
  }

  /** Another upload that was made of the same record. */
  function sameRecord({ content, part, source }: Identity): Item | undefined {
    const other = source === undefined ? undefined : bySource.get(withPart(source, part))
    if (!other || other.key === keyOf(target, content, other.occurrence, part)) return undefined
    const item = itemOf(other.key)
    return item && (item.ids.length > 0 || hasUnknownOutcome(item)) ? item : undefined
  }

  function apply(event: LedgerEvent): void {
    last = Math.max(last, event.n)
    if (event.event === 'rebuilt') rebuiltAt = Date.parse(event.at)
    // Another shard may be open while the owner of this one still sends.
    if (event.event === 'opened' && (event.key === '' || event.key === shardKey(shard))) openings.push(event)
    unidentified.apply(event)
    const { key } = event
    const before = itemOf(key)
    if (event.event === 'intent' && event.source !== undefined) {
      bySource.set(withPart(event.source, event.part), { key, occurrence: event.occurrence })
    }
    if (event.event === 'done') {
      const { id, externalId, occurrence = 1, part = 1 } = event
      ids.add(id)
      const found = externalId === undefined ? undefined : withPart(externalId, part)
      if (found !== undefined && !byExternalId.has(found)) byExternalId.set(found, { key, occurrence })
    }
    if (event.event === 'forgotten' && before) ids.keep(before.ids)
    const folded = fold(before, event)
    // A search that finds nothing certain sends nothing.
    const isOfSender = event.event === 'unknown' && (event.late || before?.attempts.includes(event.run))
    const isSending = event.event === 'intent' || event.event === 'sent' || isOfSender
    const item = folded && isSending ? { ...folded, openings: openings.length } : folded
    const [id, more] = item?.ids ?? []
    if (!item) items.delete(key)
    else items.set(key, item.state === 'done' && id !== undefined && more === undefined ? id : item)
  }

  /**
   * A transcript with its turns, which then counts as this upload and as no other; any other that looks like it may be it.
   */
  function matchWithoutStamp({ key }: Identity, upload: Fingerprint): EntryState | undefined {
    const { sameTurns, alike } = unidentified.like(upload)
    const isFree = (id: string) => !ids.has(id)
    const id = sameTurns.find(isFree)
    if (id !== undefined) {
      items.set(key, id)
      ids.add(id)
      return { state: 'done', id, by: 'same_content' }
    }
    const candidates = [...new Set(alike.filter(isFree))]
    return candidates.length > 0 ? { state: 'unidentified', candidates } : undefined
  }

  return {
    /** The number of the next event. */
    count: (): number => ++last,

    /** Give the next events greater numbers than this one. */
    noteNumber(n: number): void {
      last = Math.max(last, n)
    },

    apply,

    /** When the last rebuild began, in Unix milliseconds by the clock of its machine; undefined without one. */
    rebuiltAt: (): number | undefined => rebuiltAt,

    /** Apply an event of an earlier run. */
    replay(event: LedgerEvent): void {
      apply(event)
      if (event.event === 'intent' && event.externalId !== undefined) {
        const { key, content, part, occurrence } = event
        byExternalId.set(withPart(event.externalId, part), { key, content, occurrence })
      }
    },

    /** The keys of uploads whose result is unknown again after they were stored, when little more than an id is kept. */
    withoutIntent: (): ReadonlySet<string> =>
      new Set(
        [...items].flatMap(([key, item]) =>
          typeof item === 'object' && hasUnknownOutcome(item) && !item.intent ? key : [],
        ),
      ),

    /** Keep an intent of an item that has lost its own. */
    keepIntent(keys: ReadonlySet<string>, intent: NonNullable<Item['intent']>): void {
      const item = keys.has(intent.key) && items.get(intent.key)
      if (typeof item === 'object') items.set(intent.key, { ...item, intent, name: intent.name, turns: intent.turns })
    },

    /**
     * The state of an upload by its key, else of another one that was made of the same record, else by transcripts without
     * a stamp that look like the upload.
     */
    stateOf(identity: Identity, upload?: Fingerprint): EntryState | undefined {
      const item = itemOf(identity.key)
      if (item) {
        const { source, part } = identity
        const isKnown = source === undefined || bySource.size === 0 || bySource.has(withPart(source, part))
        const state = entryStateOf(item, 'key')
        return state.state === 'done' && !isKnown ? { ...state, isOfOtherRecord: true } : state
      }
      const same = sameRecord(identity)
      if (same) return entryStateOf(same, 'source')
      return upload && matchWithoutStamp(identity, upload)
    },

    /** The id under which an earlier run last stored the same external id with other content, such as a session that grew. */
    changedFrom({ content, part }: Pick<Identity, 'content' | 'part'>, externalId: string | undefined) {
      const earlier = externalId === undefined ? undefined : byExternalId.get(withPart(externalId, part))
      if (!earlier || earlier.content === content) return undefined
      if (earlier.key === keyOf(target, content, earlier.occurrence, part)) return undefined
      return itemOf(earlier.key)?.ids.at(-1)
    },

    /** The transcripts that may be any upload of this ledger, because they show neither stamp nor content. */
    ambiguous: (): Unidentified[] => unidentified.ambiguous().filter(({ key }) => !ids.has(key)),

    /** The uploads of this shard whose result is unknown. */
    unresolved(): UnresolvedEntry[] {
      const isInOwnShard = (intent: Intent) => !shard || isInShard(intent, shard)
      return [...items.values()].flatMap((item) =>
        typeof item === 'object' && hasUnknownOutcome(item) && item.intent && isInOwnShard(item.intent)
          ? unresolvedEntry(item, item.intent, openings.slice(item.openings))
          : [],
      )
    },

    /** True if an id is that of an upload in this ledger, also of a forgotten one. */
    hasId: ids.has,

    /** The item of a key. Only key and id of one that is stored under one id. */
    item: itemOf,
  }
}

/** The ids of uploads, also of forgotten ones. Collected on the first question: their number has no bound. */
function createKnownIds(items: ReadonlyMap<string, Item | string>) {
  const forgotten: string[] = []
  let knownIds: Set<string> | undefined
  return {
    add(id: string): void {
      knownIds?.add(id)
    },
    /** Remember the ids of an item that is forgotten. */
    keep(ids: readonly string[]): void {
      forgotten.push(...ids)
    },
    has(id: string): boolean {
      knownIds ??= new Set([
        ...forgotten,
        ...[...items.values()].flatMap((item) => (typeof item === 'string' ? item : item.ids)),
      ])
      return knownIds.has(id)
    },
  }
}

function entryStateOf(
  { key, ids, state, candidates, sentAt = '', refusal = 0 }: Item,
  by: 'key' | 'source',
): EntryState {
  const id = ids.at(-1)
  if (id !== undefined) return { state: 'done', id, by }
  if (state === 'open' || state === 'unknown') return { state, key, at: sentAt, candidates: [...candidates] }
  return state === 'refused' ? { state, status: refusal } : { state: 'unsent' }
}

function unresolvedEntry(
  { state, sentAt, since, candidates, ids, conflict, late }: Item,
  { event: _, n: __, run: ___, at, ...intent }: NonNullable<Item['intent']>,
  openings: readonly MachineTime[],
): UnresolvedEntry {
  const isOpen = state === 'open'
  return {
    ...intent,
    state: isOpen ? state : 'unknown',
    at: sentAt ?? at,
    since: since ?? at,
    candidates,
    ids,
    conflict,
    // A search does not count what is known.
    mayBeTwo: late === true && ids.length === 0,
    openings,
  }
}
