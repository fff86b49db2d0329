import type { UploadResult, UploadSummary } from '@svc/bulk'
import { count, firstNames } from '@svc/text'
import type { Context } from '../../context.js'
import { errorJson } from '../../errors.js'
import type { ExitCode } from '../../exit.js'
import { type Column, cell } from '../../output/index.js'
import type { Item, Tag } from './item.js'

export type Result = UploadResult<Tag>

const originOf = ({ path, record, name, identity }: Item) => ({ path, record, name, key: identity.key })

/** Of a duplicate: where the earlier one is. */
const sameAs = ({ duplicateOf }: Item) =>
  duplicateOf && { same_as: { path: duplicateOf.path, record: duplicateOf.record } }

export function resultJson(upload: Result, code: ExitCode): object {
  const { item, result } = upload
  const changed = upload.changedFrom !== undefined && { changed_from: upload.changedFrom }
  const common = {
    schema: 'svc/upload@1',
    result,
    ...originOf(item),
    ...changed,
    ...sameAs(item),
    losses: item.tag.losses,
  }
  switch (result) {
    case 'uploaded':
      return { ...common, id: upload.transcript.id, transcript: upload.transcript }
    case 'already_uploaded':
      return { ...common, id: upload.id }
    case 'skipped_changed':
    case 'skipped_duplicate':
      return common
    default: {
      const candidates = result === 'unknown' && { candidates: upload.candidates }
      return { ...common, ...candidates, error: errorJson(upload.error, code) }
    }
  }
}

export function plannedJson(item: Item, { result, id, changedFrom }: Planned): object {
  const { format, losses } = item.tag
  const changed = changedFrom !== undefined && { changed_from: changedFrom }
  const fields = { ...originOf(item), ...changed, ...sameAs(item), ...(id !== undefined && { id }) }
  return { schema: 'svc/upload@1', result, ...fields, losses, format, turn_count: item.turns }
}

interface Planned {
  result: 'planned' | 'already_uploaded' | 'skipped_changed' | 'skipped_duplicate'
  id?: string | undefined
  changedFrom?: string | undefined
}

/** A terminal shows no more rows without `--show-all`. */
export const mostRows = 20

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

/** How a run went, in numbers. `invalid`: not sent, because the service would refuse them. `skipped_files`: without a transcript. */
export interface Summary extends UploadSummary {
  schema: 'svc/upload-summary@1'
  project: string
  invalid: number
  skipped_files: number
}

export function summaryLine(sum: Summary): string {
  const counts: [n: number | null, what: string][] = [
    [sum.stored_not_analysed, 'of them stored but not analysed'],
    [sum.changed, 'of them with the external id of a stored transcript but different content'],
    [sum.skipped_changed, 'changed since they were stored, skipped'],
    [sum.skipped_duplicate, 'with the content of an earlier one, skipped'],
    [sum.already_uploaded, 'already stored'],
    [
      sum.from_same_record,
      'of them already uploaded from the same record, whose content now reads differently (--again uploads it)',
    ],
    [sum.failed, 'failed'],
    [sum.unknown, 'possibly stored: run `svc uploads reconcile`'],
    [sum.earlier_unknown ?? 0, 'of earlier runs possibly stored, not in this input: run `svc uploads reconcile`'],
    [sum.invalid, 'invalid, skipped'],
    [sum.not_sent, 'not sent'],
    [sum.other_shards, 'for other shards'],
  ]
  const others = counts.flatMap(([n, what]) => (n === 0 ? [] : `${n ?? 'the rest'} ${what}`))
  return [`${count(sum.uploaded, 'transcript')} uploaded to ${sum.project}`, ...others].join(', ')
}

export const changedLine = ({ label }: Item, id: string): string =>
  `${label}: same external id as ${id}, different content`

/** True for a transcript that counts as stored because its content is, which other personal data may have given. */
export const isAlike = ({ tag }: Item, { isOfOtherRecord }: { isOfOtherRecord?: boolean | undefined }): boolean =>
  tag.isRedacted && isOfOtherRecord === true

export function reportAlike({ say }: Pick<Context, 'say'>, labels: readonly string[]): void {
  if (labels.length === 0) return
  const what = `${count(labels.length, 'transcript')} ${labels.length === 1 ? 'counts' : 'count'} as stored`
  say(
    `note: ${what}, because the content of another record is the same after redaction: ${firstNames(labels)}; give each conversation an id of its own (--map id=FIELD, or externalId), else one is missing`,
  )
}

const shown = 3

export function reportChanged({ say }: Pick<Context, 'say'>, lines: readonly string[]): void {
  for (const line of lines.slice(0, shown)) say(`note: ${line}`)
  if (lines.length > shown) say(`note: ${count(lines.length - shown, 'more transcript')} with different content`)
}
