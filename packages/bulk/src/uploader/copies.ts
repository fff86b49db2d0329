import { limits, ServiceError, type SvcClient, searchWrites, stampOf, type TranscriptFilters } from '@svc/client'
import type { Target } from '../ledger/index.js'
import type { UploadItem } from '../upload/index.js'

/**
 * The records of a project with the stamp of an id. At a service that does not show the stamp of the upload `id` either, also
 * those that look like it.
 */
export async function copiesOf(
  { once, write, name, turns, externalId }: UploadItem,
  {
    client,
    project,
    call,
    clock,
  }: Pick<Target, 'project'> & {
    client: SvcClient
    call: () => Parameters<SvcClient['transcripts']['get']>[1]
    clock: { now(): number; monotonic(): number }
  },
  id?: string,
): Promise<{ id: string; key: string | undefined }[]> {
  const at = once?.at ?? Number.NaN
  const { max: limit } = limits.pageSize
  const listOf = (filters: TranscriptFilters) => ({
    page: (page: number) => client.transcripts.list(project, { ...filters, page, limit }, call()).withResponse(),
    read: (id: string) => client.transcripts.get(id, call()),
  })
  const fingerprint = { name, turn_count: turns, external_id: externalId ?? null }
  // Not the stamp of one write alone: of those, the search ends at the first.
  const wanted = { stamp: { write }, fingerprint, since: Number.NEGATIVE_INFINITY, ownRecordIds: new Set<string>() }
  const atThatTime = listOf({ date_from: new Date(at - 1_000), date_to: new Date(at + 1_000) })
  const { found } = await searchWrites(atThatTime, [wanted], { clock, isThorough: true, maxPages: 1_000 }).catch(
    (error: unknown) => {
      // The service refuses the filter: new records are at the ends of the whole list.
      if (error instanceof ServiceError && error.kind === 'invalid_request')
        return searchWrites(listOf({}), [wanted], { clock })
      throw error
    },
  )
  const records = found.flatMap(({ records, candidates }) => [...records, ...candidates])
  const isStampShown = records.some((record) => record.id === id && stampOf(record))
  return records.flatMap((record) => {
    const stamp = stampOf(record)
    const isCopy = stamp ? stamp.write === write : id !== undefined && !isStampShown
    return isCopy ? { id: record.id, key: stamp?.key } : []
  })
}
