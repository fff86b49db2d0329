import type { TranscriptDetail } from '@svc/client'
import { bearsStamp, stampedKey, wordsHash } from './identity.js'
import { instantOf, toleranceMs } from './look.js'
import type { OpenItem } from './standings.js'

/** What was found of an item at the service. */
export type Finding =
  | { result: 'done'; id: string; status: string | undefined }
  | { result: 'absent' }
  | { result: 'unknown'; candidates: string[] }

/** Whether a record may be an item as far as it shows. */
export function mayBe(item: OpenItem, record: TranscriptDetail): boolean {
  const key = stampedKey(record)
  if (item.stamped !== false) return bearsStamp(record, item) || (key === null && looksLike(item, record))
  const created = instantOf(record.created_at)
  const isSince = created === undefined || created >= Date.parse(item.since) - toleranceMs
  return typeof key !== 'string' && isSince && looksLike(item, record)
}

/**
 * A field that a record does not show, or shows as another kind of value, speaks neither for nor against it; an empty text
 * is one that was not given.
 */
function looksLike({ name, turns, externalId = '' }: OpenItem, record: TranscriptDetail): boolean {
  const says = (value: unknown, own: string | number) => typeof value !== typeof own || value === own
  const { name: ownName, turn_count, external_id } = record
  return says(ownName, name) && says(turn_count, turns) && says(external_id === null ? '' : external_id, externalId)
}

const isListOfObjects = (value: unknown): value is object[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null)

/** The processing status of a record; undefined where it shows none, or another kind of value. */
export const statusOf = ({ processing_status: status }: { processing_status?: unknown }): string | undefined =>
  typeof status === 'string' ? status : undefined

/**
 * What became of items, by the records that may be they. Stamped ones are known by their stamps. Of those that bear none
 * and cannot be told apart, all are found where exactly as many records say the same as they; else nobody can tell.
 */
export function matchAll(
  items: readonly OpenItem[],
  records: readonly TranscriptDetail[],
  isClaimed: (id: string) => boolean,
): Map<OpenItem, Finding> {
  const findings = new Map<OpenItem, Finding>()
  for (const item of items.filter(({ stamped }) => stamped !== false)) {
    const likely = records.filter((record) => mayBe(item, record) && !item.ids.includes(record.id))
    findings.set(
      item,
      findingOf(
        likely.filter((record) => bearsStamp(record, item)),
        likely,
        1,
      )[0] ?? absent,
    )
  }
  for (const alike of groupsOf(items.filter(({ stamped }) => stamped === false))) {
    const [first] = alike
    if (!first) continue
    const likely = records.filter((record) => alike.some((item) => mayBe(item, record)) && !isClaimed(record.id))
    const same = likely.filter(({ turns }) => isListOfObjects(turns) && wordsHash(turns) === first.words)
    const found = findingOf(same, likely, alike.length)
    for (const [i, item] of alike.entries()) findings.set(item, found[i] ?? absent)
  }
  return findings
}

const absent: Finding = { result: 'absent' }

/** So many equal items, from the records that are they and those that may be: one finding for each. */
function findingOf(sure: readonly TranscriptDetail[], likely: readonly TranscriptDetail[], count: number): Finding[] {
  if (sure.length === count) return sure.map((record) => ({ result: 'done', id: record.id, status: statusOf(record) }))
  if (likely.length === 0) return Array.from({ length: count }, () => absent)
  const candidates = (sure.length > 0 ? sure : likely).map(({ id }) => id)
  return Array.from({ length: count }, () => ({ result: 'unknown', candidates }))
}

function groupsOf(items: readonly OpenItem[]): OpenItem[][] {
  const groups = new Map<string, OpenItem[]>()
  for (const item of items) {
    const like = JSON.stringify([item.name, item.turns, item.externalId, item.words])
    groups.set(like, [...(groups.get(like) ?? []), item])
  }
  return [...groups.values()]
}
