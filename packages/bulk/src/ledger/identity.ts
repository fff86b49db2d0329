import { hash } from 'node:crypto'
import { stampOf } from '@svc/client'
import { canonicalJson, shardOfHash } from '@svc/text'
import type { Shard } from '../shard.js'

/** The target of an upload: a project of a service. */
export interface Target {
  /** The public base URL. */
  baseUrl: string
  /** The id of the project. */
  project: string
}

/** Identifies an upload in every run. */
export interface Identity {
  /** 32 hex digits: the key in the ledger and in the stamp. */
  key: string
  /** `contentHash`. */
  content: string
  /** Counts uploads of equal content and part, from 1: a transcript that is given twice is uploaded twice. */
  occurrence: number
  /** The part of its record, from 1. */
  part: number
  /** Hash of the record that it was made of, with its place among the uploads of that record and of equal records. */
  source: string | undefined
}

/** SHA-256 in hex of the turns and the externalId. Name, metadata and `process` do not change it. */
export const contentHash = (upload: { turns: readonly unknown[]; externalId?: string | undefined }): string =>
  hash('sha256', `${canonicalJson(upload.turns)}\n${upload.externalId ?? ''}`)

/** The key of an upload: 32 hex digits of SHA-256. */
export const keyOf = (target: Target, content: string, occurrence: number, part: number): string =>
  keyIn(normalTarget(target), content, occurrence, part)

const keyIn = ({ baseUrl, project }: Target, content: string, occurrence: number, part: number): string =>
  hash('sha256', `${baseUrl}\n${project}\n${content}\n${occurrence}\n${part}`).slice(0, 32)

/** SHA-256 in hex of the roles and contents of turns, for comparison with a transcript that is read back. */
export const hashTurns = (turns: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(turns.map(Object).map(({ role, content }) => [role, content])))

/** The shard of an upload, from 0. Equal content belongs to the same shard. */
export const shardFor = (content: string, of: number): number => shardOfHash(content, of)

/** A text with the part of its record. */
export const withPart = (text: string, part: number): string => (part === 1 ? text : `${text} ${part}`)

/** True if an upload is the work of a shard. */
export const isInShard = ({ content }: Pick<Identity, 'content'>, { index, of }: Shard): boolean =>
  shardFor(content, of) === index

/** A target in the form in which it is compared: no slashes at the end of the URL, the project id in lower case. */
export const normalTarget = ({ baseUrl, project }: Target): Target => ({
  baseUrl: (URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl).replace(/(?<!\/)\/+$/, ''),
  project: project.toLowerCase(),
})

/**
 * Identifies the uploads of a run, counting equal ones. Those of other shards are not counted, because their number has no
 * bound; only among the uploads of one record, which follow each other, each has the same place for every shard.
 */
export function identities(target: Target, shard?: Shard) {
  const normal = normalTarget(target)
  const contents = counter()
  const sources = counter()
  const placed = placesInRecord()
  return (content: string, part: number, source: string | undefined): Identity => {
    const isCounted = !shard || isInShard({ content }, shard)
    const counted = (text: string, count: (text: string) => number) => (isCounted ? count(withPart(text, part)) : 1)
    const occurrence = counted(content, contents)
    const own = source && placed(source, part)
    const copy = own === undefined ? 1 : counted(own, sources)
    return {
      key: keyIn(normal, content, occurrence, part),
      content,
      occurrence,
      part,
      source: copy === 1 ? own : `${own} copy ${copy}`,
    }
  }
}

/** The hash of a record with the place of an upload among those of the record: all parts of a transcript have the same. */
function placesInRecord(): (source: string, part: number) => string {
  let latest: string | undefined
  let place = 0
  return (source, part) => {
    place = source === latest ? place + (part === 1 ? 1 : 0) : 1
    latest = source
    return place === 1 ? source : `${source}-${place}`
  }
}

/** Counts equal texts, from 1. */
function counter(): (text: string) => number {
  const seen = new Map<string, number>()
  return (text) => {
    const count = (seen.get(text) ?? 0) + 1
    seen.set(text, count)
    return count
  }
}

/** The key in the stamp of a record; undefined if the client stamped it, null if it shows no key. */
export function stampedKey(record: { metadata?: unknown }): string | undefined | null {
  const { key = null, write } = stampOf(record) ?? {}
  return key === write ? undefined : key
}
