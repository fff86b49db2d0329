import { hash } from 'node:crypto'
import { canonicalJson } from '../canonical.js'
import { DigestMap } from './digest-map.js'

/** Where transcripts go: a project of a service. */
export interface Target {
  /** The public base URL. */
  baseUrl: string
  project: string
}

/** What makes an upload the same upload in every run. */
export interface Identity {
  /** 32 hex digits: what the ledger and the stamp know it by. */
  key: string
  /** `contentHash` of what is sent. */
  content: string
  /** Which of the uploads of equal content and part it is, from 1: a transcript that is given twice is meant twice. */
  occurrence: number
  /** Which part of its record it is, from 1. */
  part: number
  /** Hash of the record that it was made of; undefined where there is none to speak of. */
  source: string | undefined
}

/** SHA-256 in hex of the turns and the externalId; neither the name nor the metadata nor `process` changes it. */
export const contentHash = ({
  turns,
  externalId,
}: {
  turns: readonly unknown[]
  externalId?: string | undefined
}): string => hash('sha256', `${canonicalJson(turns)}\n${externalId ?? ''}`)

/** The key of an upload: 32 hex digits of SHA-256. */
export const keyOf = (target: Target, content: string, occurrence: number, part: number): string =>
  keyIn(normalTarget(target), content, occurrence, part)

const keyIn = ({ baseUrl, project }: Target, content: string, occurrence: number, part: number): string =>
  hash('sha256', `${baseUrl}\n${project}\n${content}\n${occurrence}\n${part}`).slice(0, 32)

/** SHA-256 in hex of who said what, which a service that changes nothing shows again when a transcript is read. */
export const turnsHash = (turns: readonly { role?: unknown; content?: unknown }[]): string =>
  hash('sha256', JSON.stringify(turns.map(({ role, content }) => [role, content])))

/** The shard, from 0, that an upload belongs to: equal content always goes to the same one. */
export const shardFor = (content: string, of: number): number => Number.parseInt(content.slice(0, 12), 16) % of

/** A target as it is compared: a URL without slashes at its end, a project id in small letters. */
export const normalTarget = ({ baseUrl, project }: Target): Target => ({
  baseUrl: (URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl).replace(/(?<!\/)\/+$/, ''),
  project: project.toLowerCase(),
})

/**
 * Gives each upload of a run its identity, counting equal ones. `source` is a hash of the record that it was made of;
 * records that are equal are told apart by their count, as their uploads are.
 */
export function identities(target: Target): (content: string, part: number, source: string | undefined) => Identity {
  const normal = normalTarget(target)
  const contents = counter()
  const sources = counter()
  return (content, part, source) => {
    const occurrence = contents(part === 1 ? content : `${content} ${part}`)
    const nth = source === undefined ? 1 : sources(part === 1 ? source : `${source} ${part}`)
    return {
      key: keyIn(normal, content, occurrence, part),
      content,
      occurrence,
      part,
      source: nth === 1 ? source : `${source}-${nth}`,
    }
  }
}

/** How often each text has come, this time included. */
function counter(): (what: string) => number {
  const seen = new DigestMap()
  return (what) => {
    const count = seen.get(what) + 1
    seen.set(what, count)
    return count
  }
}

/**
 * What an upload bears in its metadata, under `svc`: `key` and `occurrence` are equal in every run and every program that
 * uploads the same content, `write` is random for each intent.
 */
export const stampOf = ({
  key,
  occurrence,
  write,
}: Pick<Identity, 'key' | 'occurrence'> & { write?: string | undefined }) => ({
  key,
  occurrence,
  ...(write !== undefined && { write }),
})

/** The key in the stamp of a record; undefined where it bears none of ours, null where its metadata is not shown, or
 * is no object. */
export function stampedKey({ metadata }: { metadata?: unknown }): string | undefined | null {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return null
  const key: unknown = (metadata as { svc?: { key?: unknown } | null }).svc?.key
  return typeof key === 'string' && /^[0-9a-f]{32}$/.test(key) ? key : undefined
}
