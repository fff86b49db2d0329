import { hash } from 'node:crypto'
import {
  checkUpload,
  InputError,
  jsonValueOf,
  type Stamp,
  stampOf,
  stampUpload,
  type TranscriptUpload,
  type Violation,
} from '@svc/client'
import {
  contentHash,
  type Fingerprint,
  hashTurns,
  type Identity,
  type Intent,
  identities,
  isInShard,
  keyOf,
  type Ledger,
  type Target,
  withPart,
} from '../ledger/index.js'
import type { Shard } from '../shard.js'

/** A transcript to upload, with what identifies it beside its content, and what messages say about it. */
export interface BulkUpload<Tag = undefined> {
  /** The body of the upload (interface: Resources › TranscriptUpload). */
  upload: TranscriptUpload
  /**
   * A hash of the record that it was made of. A record that was stored is not sent again, also if a later version of the
   * program makes another transcript of it. Give the uploads of one record one after the other. Default: none.
   */
  source?: string | undefined
  /** The part of its record, from 1, if one record makes several uploads. Default 1. */
  part?: number | undefined
  /** The path that it was read from, for messages and `svc uploads list`. Default: empty. */
  path?: string | undefined
  /** The number of its record in `path`, from 1. Default 1. */
  record?: number | undefined
  /** Its name in messages. Default: the name of the upload. */
  label?: string | undefined
  /** Anything that the results about it should carry. */
  tag?: Tag | undefined
}

/** An upload without its content. */
export interface UploadItem<Tag = undefined> {
  /** Its position in the input, from 0. */
  index: number
  /** Identifies it in the ledger and in its stamp. */
  identity: Identity
  /** Its name in messages. */
  label: string
  /** The name of the transcript. */
  name: string
  /** The path that it was read from; empty if none was given. */
  path: string
  /** The number of its record in `path`. */
  record: number
  /** The number of its turns. */
  turns: number
  /** Its external id. */
  externalId: string | undefined
  /** The size of its JSON, in bytes. */
  bytes: number
  /** The random part of its stamp, by which a lost upload is found. */
  write: string
  /** False if it is sent without a stamp. */
  isStamped: boolean
  /** Hash of roles and contents, by which a transcript without a stamp is recognized. */
  turnsHash: string
  /** Attempt time-out, in milliseconds, if it is not the default of the client. */
  timeoutMs: number | undefined
  /** The earlier upload of the run with the same content and external id, if there is one. */
  duplicateOf?: Pick<UploadItem, 'label' | 'path' | 'record'> | undefined
  /** The `tag` of its `BulkUpload`. */
  tag: Tag
  /** The id that `add` of an uploader was given with it. */
  once?: OnceId | undefined
}

/** An id of the caller for an upload, which makes its stamp. */
export interface OnceId {
  /** As it was given. */
  id: string
  /** The time of the conversation, in milliseconds. Without one, an upload of another process cannot be searched for. */
  at?: number | undefined
}

/** An upload as it is sent. */
export interface ReadyUpload<Tag = undefined> {
  /** The upload without its content. */
  item: UploadItem<Tag>
  /** Its body. It is neither checked nor changed before it is sent. */
  json: string
}

/** What a run does with an upload of its input. `send_duplicate`: one with the content and external id of an earlier one. */
export type UploadDecision = 'send' | 'send_duplicate' | 'skipped_duplicate' | 'other_shard' | 'invalid'

/** An upload that is ready to be sent, or the reasons why it is not. */
export interface PreparedUpload<Tag = undefined, Found = Violation> extends ReadyUpload<Tag> {
  /** What the run does with it. */
  decision: UploadDecision
  /** Violated bounds. With any, it must not be sent. */
  violations: readonly Found[]
  /** Violations of a stricter reading of the bounds. */
  warnings: readonly Found[]
}

/** Options of `createPreparer`. */
export interface PrepareOptions {
  /** The service and the project to upload to. */
  target: Target
  /** The shard that sends. Uploads of other shards are not counted. Default: all are sent. */
  shard?: Shard | undefined
  /** Skip uploads with the content and external id of an earlier one. Default: each is sent. */
  dedupe?: boolean | undefined
  /** False: do not add a stamp to the metadata. Default true. */
  stamp?: boolean | undefined
  /** Attempt time-out, in milliseconds, if it is not the default of the client. */
  timeoutMs?: number | undefined
  /** The id of the one upload, and the stamp that `onceStamp` of the client makes of it. Default: content and count identify it. */
  once?: (OnceId & { made: Stamp }) | undefined
  /** A new UUID. */
  randomId(): string
}

/**
 * Make a function that gives an upload its identity, body and stamp, checks it, and decides what a run does with it. It counts
 * equal uploads, so use one for each run. `refusals`: reasons of the caller why an upload must not be sent.
 */
export function createPreparer(options: PrepareOptions) {
  const { target, shard, stamp = true, timeoutMs, once, randomId } = options
  const identify = identities(target, shard)
  const firsts = new Map<string, UploadItem['duplicateOf']>()
  let next = 0
  return <Tag, Refusal = never>(
    given: BulkUpload<Tag>,
    refusals: readonly Refusal[] = [],
  ): PreparedUpload<Tag, Violation | Refusal> => {
    const { value, notJson } = plainValue(given.upload)
    const upload = isUploadLike(value) ? value : { name: '', turns: [] }
    const { source, part = 1, path = '', record = 1, label = String(upload.name ?? '') } = given
    const counted = identify(contentHash(upload), part, source)
    const { key = counted.key, write = randomId().replaceAll('-', '') } = once?.made ?? {}
    // As of a record that was made to another upload, the ledger finds the other content of an id.
    const identity = once ? { ...counted, key, source: write } : counted
    const body = stamped(upload, { ...identity, write }, stamp)
    const json = JSON.stringify(body)
    const bytes = Buffer.byteLength(json)
    const item: UploadItem<Tag> = {
      index: next++,
      identity,
      label,
      name: upload.name,
      path,
      record,
      turns: upload.turns?.length ?? 0,
      externalId: upload.externalId,
      bytes,
      write,
      isStamped: stampOf(body)?.key === identity.key,
      turnsHash: hashTurns(Array.isArray(upload.turns) ? upload.turns : []),
      timeoutMs,
      tag: given.tag as Tag,
      ...(once && { once: { id: once.id, at: once.at } }),
    }
    const checked = upload === value ? body : (value as TranscriptUpload)
    const report = notJson.length > 0 ? { violations: notJson, warnings: [] } : checkUpload(checked, bytes)
    const violations = [...refusals, ...report.violations]
    const decision = violations.length > 0 ? 'invalid' : classifyUpload(identity, options)
    const content = withPart(identity.content, part)
    if (identity.occurrence > 1) item.duplicateOf = firsts.get(content)
    else if (decision !== 'other_shard') firsts.set(content, { label, path, record })
    return { item, json, decision, violations, warnings: report.warnings }
  }
}

function classifyUpload(identity: Identity, { shard, dedupe }: PrepareOptions): UploadDecision {
  if (shard && !isInShard(identity, shard)) return 'other_shard'
  if (identity.occurrence === 1) return 'send'
  return dedupe ? 'skipped_duplicate' : 'send_duplicate'
}

/** The JSON of an item, made of its upload once more. */
export const jsonOf = (upload: TranscriptUpload, { identity, write, isStamped }: UploadItem<unknown>): string =>
  JSON.stringify(stamped(upload, { ...identity, write }, isStamped))

/** SHA-256 of the JSON of an upload, in hex. */
export const digestOf = (json: string): string => hash('sha256', json)

/** The same upload with another identity or random id in its stamp, if it has one. */
function restamped<Tag>({ item, json }: ReadyUpload<Tag>, change: Partial<UploadItem<Tag>>): ReadyUpload<Tag> {
  const changed = { ...item, ...change }
  return { item: changed, json: item.isStamped ? jsonOf(JSON.parse(json), changed) : json }
}

/** The same with the random id of an earlier attempt: a search then finds the record of any of its attempts. */
export const withWrite = <Tag>(ready: ReadyUpload<Tag>, write: string | undefined): ReadyUpload<Tag> =>
  write === undefined || !ready.item.isStamped ? ready : restamped(ready, { write })

/** The same as the next occurrence of content that is already stored. */
export function asNewOccurrence<Tag>(ready: ReadyUpload<Tag>, ledger: Ledger, target: Target): ReadyUpload<Tag> {
  let { identity } = ready.item
  while (ledger.stateOf({ ...identity, source: undefined })) {
    const occurrence = identity.occurrence + 1
    const key = keyOf(target, identity.content, occurrence, identity.part)
    identity = { ...identity, occurrence, key }
  }
  return restamped(ready, { identity })
}

/** The upload as JSON gives it, `toJSON` included, or why JSON cannot hold it without a change. */
function plainValue(given: TranscriptUpload): { value: unknown; notJson: readonly Violation[] } {
  try {
    return { value: jsonValueOf(given, 'upload'), notJson: [] }
  } catch (error) {
    const isInput = error instanceof InputError
    const whole: Violation = { pointer: '', message: 'cannot be written as JSON', code: 'not_json' }
    return { value: undefined, notJson: isInput ? error.violations : [whole] }
  }
}

const isUploadLike = (value: unknown): value is TranscriptUpload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An upload with the key of the ledger in its metadata, so that it is found if its answer is lost; never over a caller's `svc`. */
function stamped(upload: TranscriptUpload, { key, occurrence, write }: Stamp, wanted: boolean): TranscriptUpload {
  if (!wanted) return upload
  return stampUpload(withoutStamp(upload), { key, occurrence, write })
}

const stampFields = ['key', 'occurrence', 'write']

/** A fetched transcript contains its old stamp, which a new one replaces. */
function withoutStamp(upload: TranscriptUpload): TranscriptUpload {
  const { svc, ...metadata } = (upload.metadata ?? {}) as Record<string, unknown>
  const isStamp = stampOf(upload) !== undefined && Object.keys(Object(svc)).every((name) => stampFields.includes(name))
  return isStamp ? { ...upload, metadata } : upload
}

/** The entry that the ledger writes before an item is sent. */
export function intentOf(item: UploadItem<unknown>): Intent {
  const { identity, name, turns, path, record, externalId, timeoutMs, write, isStamped } = item
  const recognized = isStamped ? { write } : { stamped: false, turnsHash: item.turnsHash }
  return { ...identity, name, turns, path, record, externalId, timeoutMs, ...recognized }
}

/** The fields by which an upload is compared with transcripts that show no stamp. */
export const fingerprintOf = ({ name, turns, externalId, turnsHash }: UploadItem<unknown>): Fingerprint => ({
  name,
  turns,
  externalId,
  turnsHash,
})
