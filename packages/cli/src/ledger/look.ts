import { type CallOptions, everyItem, limits, type SvcClient, type TranscriptRow } from '@svc/client'
import { refuseMalformed, wrongItems } from '../malformed-answer.js'

/** What a look at the transcripts of a project shows. */
export interface Look {
  /** The rows that may be wanted. */
  rows: TranscriptRow[]
  /** Whether what was stored since would be among them, if it is wanted. */
  isComplete: boolean
}

export interface LookOptions {
  client: Pick<SvcClient, 'transcripts'>
  project: string
  /** The earliest time at which what is looked for can have been stored, by this machine's clock, in milliseconds. */
  since: number
  now(): number
  /** The options of each call. */
  call(): CallOptions
  /** Which rows to keep. */
  isWanted(row: TranscriptRow): boolean
}

/** How far apart two clocks are taken to be at most once their difference is known. */
export const toleranceMs = 10 * 60_000

/**
 * Looks through the transcripts of a project, the newest first as they come. It stops behind the time given only where
 * the service tells its own time and has shown in which order it lists: neither is promised.
 */
export async function look({ client, project, since, now, call, isWanted }: LookOptions): Promise<Look> {
  const limit = limits.pageSize.max
  /** What the list told, page by page. */
  const totals: number[] = []
  let skewMs: number | undefined
  const fetchPage = async (page: number) => {
    const { data, response } = await client.transcripts.list(project, { page, limit }, call()).withResponse()
    refuseMalformed(wrongItems(data.data, '/data', { id: 'a text' }))
    if (typeof data.pagination?.total === 'number') totals.push(data.pagination.total)
    const date = Date.parse(response.headers.get('date') ?? '')
    if (!Number.isNaN(date)) skewMs ??= date - now()
    return data
  }
  const order = newestFirst()
  const rows: TranscriptRow[] = []
  let count = 0
  let older = 0
  for await (const row of everyItem(fetchPage, limit)) {
    count++
    if (isWanted(row)) rows.push(row)
    const created = instantOf(row.created_at)
    const isOlder = order(created) && skewMs !== undefined && (created ?? 0) < since + skewMs - toleranceMs
    older = isOlder ? older + 1 : 0
    if (older >= limit) return { rows, isComplete: true }
  }
  // What is stored meanwhile is not looked for; what is deleted moves others to pages that were read before.
  const isSteady = totals.every((total, page) => total >= (totals[page - 1] ?? 0))
  return { rows, isComplete: isSteady && count >= (totals[0] ?? 0) }
}

/** Says of each time that comes whether all so far came from the newest on, with a step among them. */
function newestFirst(): (time: number | undefined) => boolean {
  let last = Number.POSITIVE_INFINITY
  let isOrdered = true
  let hasStep = false
  return (time) => {
    if (time === undefined || time > last) isOrdered = false
    else {
      hasStep ||= time < last && last !== Number.POSITIVE_INFINITY
      last = time
    }
    return isOrdered && hasStep
  }
}

/** An ISO 8601 time as an instant, in UTC where it names no zone; undefined for whatever is none. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const instant = Date.parse(/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(value) ? `${value}Z` : value)
  return Number.isNaN(instant) ? undefined : instant
}
