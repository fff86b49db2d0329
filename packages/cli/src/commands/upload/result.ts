import type { UploadResult, UploadSummary } from '@svc/bulk'
import { count } from '@svc/text'
import type { Context } from '../../context.js'
import { errorJson } from '../../errors.js'
import type { ExitCode } from '../../exit.js'
import { type Column, cell } from '../../output/index.js'
import type { Item, Tag } from './item.js'

export type Result = UploadResult<Tag>

const originOf = ({ path, record, name, identity }: Item) => ({ path, record, name, key: identity.key })

/** A result as a JSON object. */
export function resultJson(upload: Result, code: ExitCode): object {
  const { item, result } = upload
  const changed = upload.changedFrom !== undefined && { changed_from: upload.changedFrom }
  const common = { schema: 'svc/upload@1', result, ...originOf(item), ...changed, losses: item.tag.losses }
  switch (result) {
    case 'uploaded':
      return { ...common, id: upload.transcript.id, transcript: upload.transcript }
    case 'already_uploaded':
      return { ...common, id: upload.id }
    case 'skipped_changed':
      return common
    default: {
      const candidates = result === 'unknown' && { candidates: upload.candidates }
      return { ...common, ...candidates, error: errorJson(upload.error, code) }
    }
  }
}

/** A planned upload as a JSON object, for a dry run. */
export function plannedJson(item: Item, { result, id, changedFrom }: Planned): object {
  const { format, losses } = item.tag
  const changed = changedFrom !== undefined && { changed_from: changedFrom }
  const known = { ...originOf(item), ...changed, ...(id !== undefined && { id }) }
  return { schema: 'svc/upload@1', result, ...known, losses, format, turn_count: item.turns }
}

interface Planned {
  result: 'planned' | 'already_uploaded' | 'skipped_changed'
  id: string | undefined
  changedFrom: string | undefined
}

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
export function resultRow(result: Result): string[] | undefined {
  const { path, record, name } = result.item
  if (result.result === 'uploaded') {
    const { id, name: stored, turn_count, processing_status } = result.transcript
    return [id, ...[stored, turn_count, processing_status].map(cell), path, String(record)]
  }
  if (result.result === 'already_uploaded')
    return [result.id, name, String(result.item.turns), result.result, path, String(record)]
  return undefined
}

/** How a run went, in numbers. `invalid`: not sent, because the service would refuse them. */
export interface Summary extends UploadSummary {
  schema: 'svc/upload-summary@1'
  project: string
  invalid: number
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
  if (sum.from_gone_file > 0)
    parts.push(
      `${sum.from_gone_file} of them taken for those of files that are gone: stored once, even if new files of two shards hold it`,
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
