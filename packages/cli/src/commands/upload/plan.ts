import { hash, randomUUID } from 'node:crypto'
import type { Shard } from '@svc/bulk'
import {
  type Appearance,
  contentHash,
  type Identity,
  type Intent,
  identities,
  shardFor,
  stampOf,
  type Target,
  turnsHash,
} from '@svc/bulk'
import { checkUpload, type TranscriptUpload } from '@svc/client'
import {
  asViolations,
  bodyOf,
  type Conversation,
  type GuardFlags,
  guard,
  type IdentityFlags,
  type LocatedViolation,
  labelOf,
  locateViolation,
  originOf,
  type Source,
} from '@svc/input'
import type { Loss } from '@svc/transcripts'
import { CliError, exit } from '../../exit.js'

/** One transcript that is to be sent, without its content. */
export interface Item {
  /** Its place in the input of the run, from 0. */
  number: number
  source: Source
  /** Its place among the transcripts of its source, from 0. */
  index: number
  identity: Identity
  origin: ReturnType<typeof originOf>
  /** Its name in messages. */
  label: string
  format: string
  turns: number
  losses: readonly Loss[]
  externalId: string | undefined
  /** The part of its stamp that distinguishes it from every other upload. */
  write: string
  /** Of its JSON, as it is sent. */
  bytes: number
  /** False if it is sent without the stamp of `write`. */
  isStamped: boolean
  turnsHash: string
  /** How long an attempt may take, in milliseconds, where that is not the client's default. */
  timeoutMs: number | undefined
}

/** A transcript with what is sent: its body as JSON, written once, and neither checked nor sent otherwise. */
export interface Ready {
  item: Item
  json: string
}

/** A transcript as it would be sent, and what the service would say against it. */
export interface Shaped extends Ready {
  violations: LocatedViolation[]
  warnings: LocatedViolation[]
  /** True if a credential is among the violations. */
  holdsSecrets: boolean
  /** How many texts were hidden, by the name of their placeholder. */
  redacted: Record<string, number>
}

/** The options that shape the body of an upload. */
export interface Shaping {
  flags: IdentityFlags & GuardFlags & { stamp: boolean }
  target: Target
  /** Keys in use, which must not be in what is sent. */
  keys: readonly string[]
  timeoutMs: number | undefined
}

/** Makes items of conversations, counting those that are equal; those of a source follow each other. */
export function shaper({ flags, target, keys, timeoutMs }: Shaping) {
  const identify = identities(target)
  let latest: Source | undefined
  let index = 0
  let number = 0
  return (conversation: Conversation): Shaped => {
    const { source, transcript, part } = conversation
    index = source === latest ? index + 1 : 0
    latest = source
    const { body: plain, hits, redacted } = guard(bodyOf(conversation, flags), flags, keys)
    const identity = identify(contentHash(plain), part, transcript.digest)
    const write = randomUUID()
    const body = stamped(plain, { ...identity, write }, flags.stamp)
    const json = JSON.stringify(body)
    const bytes = Buffer.byteLength(json)
    const { violations, warnings } = checkUpload(body, bytes)
    const item: Item = {
      number: number++,
      source,
      index,
      identity,
      origin: originOf(conversation, plain.name),
      label: labelOf(conversation),
      format: transcript.format,
      turns: plain.turns.length,
      losses: transcript.losses,
      externalId: plain.externalId,
      write,
      bytes,
      isStamped: hasStamp(body, identity),
      turnsHash: turnsHash(body.turns),
      timeoutMs,
    }
    return {
      item,
      json,
      violations: [...asViolations(hits), ...violations].map((each) => locateViolation(conversation, each)),
      warnings: warnings.map((each) => locateViolation(conversation, each)),
      holdsSecrets: hits.length > 0,
      redacted,
    }
  }
}

/** The JSON that an item was made into, when its source is read again. */
export const jsonAgain = (conversation: Conversation, { flags, keys }: Shaping, { identity, write }: Item): string => {
  const { body } = guard(bodyOf(conversation, flags), { ...flags, allowSecrets: true }, keys)
  return JSON.stringify(stamped(body, { ...identity, write }, flags.stamp))
}

export const digestOf = (json: string): string => hash('sha256', json)

/** The same with the stamp of another identity. */
export const restamped = (json: string, { identity, write }: Item, wanted: boolean): string =>
  JSON.stringify(stamped(JSON.parse(json) as TranscriptUpload, { ...identity, write }, wanted))

/** The same with another random id in its stamp, if it has one. */
export function withWrite({ item, json }: Ready, write: string): Ready {
  const changed = { ...item, write }
  return item.isStamped ? { item: changed, json: restamped(json, changed, true) } : { item, json }
}

const hasStamp = ({ metadata }: TranscriptUpload, { key }: Identity): boolean =>
  (metadata as { svc?: { key?: unknown } } | undefined)?.svc?.key === key

/**
 * A body that bears the key by which the ledger knows it, so that it is found for certain when its answer is lost; never
 * over a `svc` of the caller's own.
 */
function stamped(body: TranscriptUpload, identity: Identity & { write: string }, wanted: boolean): TranscriptUpload {
  const own: unknown = body.metadata
  const isObject = typeof own === 'object' && own !== null && !Array.isArray(own)
  if (!wanted || (own !== undefined && !isObject)) return body
  if (isObject && 'svc' in own && !isStamp(own.svc)) return body
  return { ...body, metadata: { ...own, svc: stampOf(identity) } }
}

/** A fetched transcript contains its old stamp, which a new one replaces. */
function isStamp(svc: unknown): boolean {
  const { key, ...rest } = (svc ?? {}) as Record<string, unknown>
  return typeof key === 'string' && Object.keys(rest).every((name) => name === 'occurrence' || name === 'write')
}

/** The entry that the ledger writes before an item is sent. */
export const intentOf = ({ identity, origin, turns, externalId, timeoutMs, write, ...item }: Item): Intent => ({
  ...identity,
  name: origin.name,
  turns,
  path: origin.path,
  record: origin.record,
  externalId,
  timeoutMs,
  ...(item.isStamped ? { write } : { stamped: false, words: item.turnsHash }),
})

/** How an item looks among the transcripts of the project. */
export const appearanceOf = ({ origin, turns, externalId, turnsHash }: Item): Appearance => ({
  name: origin.name,
  turns,
  externalId,
  turnsHash,
})

/**
 * An item of a plan. Its JSON is held where there is room for it, and else made again when it is sent, and compared with
 * the digest of what was checked.
 */
export type Planned = { item: Item } & ({ json: string } | { digest: string })

/** A transcript that would be refused; with its body where that is to be written down. */
export interface Invalid {
  item: Item
  violations: readonly LocatedViolation[]
  json?: string | undefined
}

/** The items to upload, and all problems that forbid it, before anything is sent. */
export interface UploadPlan {
  items: Planned[]
  /** Transcripts that have violations. */
  invalid: Invalid[]
  warnings: LocatedViolation[]
  /** Transcripts that are other shards' work. */
  elsewhere: number
  /** Transcripts of this shard without violations. */
  planned: number
  /** Transcripts with the content and external id of an earlier one of this run. */
  duplicates: number
}

/** The bytes of bodies that are kept in memory from the plan until they are sent. */
export const heldBytes = 32 << 20

export interface PlanOptions {
  /** Called for each planned transcript instead of keeping it. */
  preview?: (item: Item) => Promise<void>
}

/**
 * Plan every conversation; `shape` makes an item of each. The bodies of the invalid are kept only where they are wanted,
 * and no items where `preview` takes them: a dry run only prints them.
 */
export async function planUpload(
  conversations: AsyncIterable<Conversation>,
  shape: (conversation: Conversation) => Shaped,
  {
    shard,
    keepsInvalid,
    dedupe,
    preview,
  }: { shard: Shard | undefined; keepsInvalid: boolean; dedupe: boolean } & PlanOptions,
): Promise<UploadPlan> {
  const plan: UploadPlan = { items: [], invalid: [], warnings: [], elsewhere: 0, planned: 0, duplicates: 0 }
  let held = 0
  for await (const conversation of conversations) {
    const { item, json, violations, warnings } = shape(conversation)
    plan.warnings.push(...warnings)
    if (violations.length > 0) plan.invalid.push({ item, violations, ...(keepsInvalid && { json }) })
    else if (!isOurs(item, shard)) plan.elsewhere++
    else if (isDuplicate(item) && ++plan.duplicates && dedupe) continue
    else if (++plan.planned && preview) await preview(item)
    else {
      held += item.bytes
      plan.items.push(held <= heldBytes ? { item, json } : { item, digest: digestOf(json) })
    }
  }
  return plan
}

/** True for the content and external id of an earlier item of this run. */
export const isDuplicate = ({ identity }: Item): boolean => identity.occurrence > 1

/** True if an item is this shard's work: equal contents always go to the same one. */
export const isOurs = ({ identity }: Item, shard: Shard | undefined): boolean =>
  shard === undefined || shardFor(identity.content, shard.of) === shard.index

/** An item whose source has changed since it was checked. */
export interface Changed {
  item: Item
  changed: CliError
}

/** How a source is read once more. */
export interface Again {
  read(source: Source): AsyncGenerator<Conversation, void, undefined>
  json(conversation: Conversation, item: Item): string
  /** True once the run is to stop: nothing more is read. */
  isStopped(): boolean
}

/** The items of a plan with what is sent: those held as they are, the others read from their sources once more. */
export async function* bodiesOf(items: readonly Planned[], again: Again): AsyncGenerator<Ready | Changed> {
  let reading: Reading | undefined
  try {
    for (const planned of items) {
      if ('json' in planned) {
        yield planned
        continue
      }
      const { source } = planned.item
      if (reading?.source !== source) {
        await reading?.conversations.return()
        reading = { source, conversations: again.read(source), next: 0 }
      }
      yield await reread(planned, reading, again)
    }
  } catch (error) {
    // A transcript that was not read again is not sent.
    if (!again.isStopped()) throw error
  } finally {
    await reading?.conversations.return()
  }
}

/** A source that is read once more, and the place of the conversation that comes next. */
interface Reading {
  source: Source
  conversations: ReturnType<Again['read']>
  next: number
}

/** Reads on to an item; those of a source are asked for in their order. */
async function reread(
  { item, digest }: { item: Item; digest: string },
  reading: Reading,
  again: Again,
): Promise<Ready | Changed> {
  try {
    for (;;) {
      const { done, value } = await reading.conversations.next()
      if (done) return { item, changed: changed(item) }
      if (reading.next++ < item.index) continue
      const json = again.json(value, item)
      return digestOf(json) === digest ? { item, json } : { item, changed: changed(item) }
    }
  } catch (cause) {
    if (again.isStopped()) throw cause
    return { item, changed: changed(item, cause) }
  }
}

function changed({ label }: Item, cause?: unknown): CliError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  const why = code === undefined ? 'it changed while uploading' : `it is no longer readable (${code})`
  return new CliError(exit.someFailed, `${label}: ${why}; its content is not what was checked.`, {
    hint: 'run the command again when the files no longer change',
    ...(cause !== undefined && { cause }),
  })
}
