import type { Transcript } from '@svc/client'
import { count } from '@svc/text'
import type { Context } from '../../context.js'
import { errorJson } from '../../errors/index.js'
import { type ExitCode, exit, exitCodeForMany } from '../../exit.js'
import { type Column, cell } from '../../output/index.js'
import type { Item } from './plan.js'

/** The result of one item. */
export type UploadResult = Kinds & {
  item: Item
  /** The id of what an earlier run stored under the same external id with other content. */
  changedFrom?: string
}

type Kinds =
  | { result: 'uploaded'; transcript: Transcript }
  /** The ledger has it: the very same, another that was made of the same record, or a transcript without a stamp that looks the same. */
  | { result: 'already_uploaded'; id: string; by: 'key' | 'source' | 'look' }
  /** Left out, because an earlier run stored other content under its external id. */
  | { result: 'skipped_changed'; changedFrom: string }
  /** It may be stored: its answer was lost, or it was stopped under way, now or in an earlier run. */
  | { result: 'unknown'; code: ExitCode; error: unknown; candidates: readonly string[] }
  | { result: 'failed'; code: ExitCode; error: unknown }

/** A result as a JSON object. */
export function resultJson(upload: UploadResult): object {
  const { item, result } = upload
  const changed = upload.changedFrom !== undefined && { changed_from: upload.changedFrom }
  const origin = { ...item.origin, key: item.identity.key, ...changed }
  const common = { schema: 'svc/upload@1', result: result, ...origin, losses: item.losses }
  switch (result) {
    case 'uploaded':
      return { ...common, id: upload.transcript.id, transcript: upload.transcript }
    case 'already_uploaded':
      return { ...common, id: upload.id }
    case 'skipped_changed':
      return common
    default: {
      const candidates = result === 'unknown' && { candidates: upload.candidates }
      return { ...common, ...candidates, error: errorJson(upload.error, upload.code) }
    }
  }
}

/** A planned upload as a JSON object, for a dry run. */
export const plannedJson = (
  item: Item,
  {
    result,
    id,
    changedFrom,
  }: {
    result: 'planned' | 'already_uploaded' | 'skipped_changed'
    id?: string | undefined
    changedFrom?: string | undefined
  },
): object => ({
  schema: 'svc/upload@1',
  result,
  ...item.origin,
  key: item.identity.key,
  ...(changedFrom !== undefined && { changed_from: changedFrom }),
  ...(id !== undefined && { id }),
  losses: item.losses,
  format: item.format,
  turn_count: item.turns,
})

/** A terminal shows no more rows without `--show-all`. */
export const mostRows = 20

/** The columns of `resultRow`. */
export const resultColumns: Column[] = [
  'ID',
  { title: 'NAME', least: 24 },
  { title: 'TURNS', drop: 1 },
  { title: 'STATUS', drop: 4 },
  { title: 'FROM', least: 16, drop: 2 },
  { title: 'RECORD', drop: 3 },
]

/** The row of a stored transcript; undefined for any other result. */
export function resultRow(result: UploadResult): string[] | undefined {
  const { path, record, name } = result.item.origin
  if (result.result === 'uploaded') {
    const { id, name: stored, turn_count, processing_status } = result.transcript
    return [id, ...[stored, turn_count, processing_status].map(cell), path, String(record)]
  }
  if (result.result === 'already_uploaded')
    return [result.id, name, String(result.item.turns), result.result, path, String(record)]
  return undefined
}

/** How a bulk upload went, in numbers. */
export interface Summary {
  schema: 'svc/upload-summary@1'
  project: string
  uploaded: number
  /** Stored by an earlier run, and not sent again. */
  already_uploaded: number
  /** Of those, the ones that the same record was made into otherwise before. */
  from_same_record: number
  /** Uploaded, although an earlier run stored other content under the same external id. */
  changed: number
  /** Left out for that reason (`--skip-changed`). */
  skipped_changed: number
  failed: number
  /** It is not known whether these are stored: their answers were lost, or they were stopped under way. */
  unknown: number
  /** Left out, because the service would refuse them. */
  invalid: number
  /** Not tried, because they would have failed the same way; null if their number is unknown. */
  not_sent: number | null
  /** Uploaded, but its annotation job could not be submitted. */
  stored_not_analysed: number
  /** The work of other shards. */
  other_shards: number
}

/** Counts results as they come. */
export function createTally(project: string) {
  const sum: Summary = {
    schema: 'svc/upload-summary@1',
    project,
    uploaded: 0,
    already_uploaded: 0,
    from_same_record: 0,
    changed: 0,
    skipped_changed: 0,
    failed: 0,
    unknown: 0,
    invalid: 0,
    not_sent: 0,
    stored_not_analysed: 0,
    other_shards: 0,
  }
  const codes: ExitCode[] = []
  let done = 0
  return {
    sum,
    add(result: UploadResult): void {
      codes.push('code' in result ? result.code : exit.ok)
      // An item that another run may send has not failed; it counts as not sent.
      if (result.result === 'failed' && result.code === exit.temporary) return
      sum[result.result]++
      done++
      if (result.result === 'already_uploaded' && result.by === 'source') sum.from_same_record++
      if (result.result === 'uploaded' && result.changedFrom !== undefined) sum.changed++
      if (result.result === 'uploaded' && result.transcript.processing_status === 'error') sum.stored_not_analysed++
    },
    /** The number of reported items. */
    total: () => codes.length,
    /** Those of which something came. */
    done: () => done,
    /** Skipped transcripts count as failed. */
    code: () => exitCodeForMany(sum.invalid > 0 ? [...codes, exit.someFailed, exit.someFailed] : codes),
  }
}

export function summaryLine(sum: Summary): string {
  const parts = [`${count(sum.uploaded, 'transcript')} uploaded to ${sum.project}`]
  if (sum.stored_not_analysed > 0) parts.push(`${sum.stored_not_analysed} of them stored but not analysed`)
  if (sum.changed > 0)
    parts.push(`${sum.changed} of them with the external id of a stored transcript but different content`)
  if (sum.skipped_changed > 0) parts.push(`${sum.skipped_changed} changed since they were stored, skipped`)
  if (sum.already_uploaded > 0) parts.push(`${sum.already_uploaded} already stored`)
  if (sum.from_same_record > 0)
    parts.push(
      `${sum.from_same_record} of them from a record that was uploaded in an earlier form (--again uploads the new form)`,
    )
  if (sum.failed > 0) parts.push(`${sum.failed} failed`)
  if (sum.unknown > 0) parts.push(`${sum.unknown} possibly stored: run \`svc uploads reconcile\``)
  if (sum.invalid > 0) parts.push(`${sum.invalid} invalid, skipped`)
  if (sum.not_sent === null) parts.push('the rest not sent')
  else if (sum.not_sent > 0) parts.push(`${sum.not_sent} not sent`)
  if (sum.other_shards > 0) parts.push(`${sum.other_shards} for other shards`)
  return parts.join(', ')
}

/** Says of an item that an earlier run stored other content under its external id. */
export const changedLine = ({ label }: Item, id: string): string =>
  `${label}: same external id as ${id}, different content`

const shown = 3

/** Names the first of the items that changed since they were stored, and how many more there are. */
export function reportChanged({ say }: Pick<Context, 'say'>, lines: readonly string[]): void {
  for (const line of lines.slice(0, shown)) say(`note: ${line}`)
  if (lines.length > shown) say(`note: ${count(lines.length - shown, 'more transcript')} with different content`)
}
