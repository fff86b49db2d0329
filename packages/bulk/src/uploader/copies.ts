import { limits, type SvcClient, searchWrites, stampOf } from '@svc/client'
import type { Target } from '../ledger/index.js'
import type { UploadItem } from '../upload/index.js'

/** The records of a project with the stamp of an id. */
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
): Promise<{ id: string; key: string | undefined }[]> {
  const at = once?.at ?? Number.NaN
  const query = { date_from: new Date(at - 1_000), date_to: new Date(at + 1_000), limit: limits.pageSize.max }
  const list = {
    page: (page: number) => client.transcripts.list(project, { ...query, page }, call()).withResponse(),
    read: (id: string) => client.transcripts.get(id, call()),
  }
  const fingerprint = { name, turn_count: turns, external_id: externalId ?? null }
  // Not the stamp of one write alone: of those, the search ends at the first.
  const wanted = { stamp: { write }, fingerprint, since: Number.NEGATIVE_INFINITY, ownRecordIds: new Set<string>() }
  const { found } = await searchWrites(list, [wanted], { clock, isThorough: true, maxPages: 1_000 })
  return found.flatMap(({ records, candidates }) =>
    [...records, ...candidates].flatMap((record) => {
      const stamp = stampOf(record)
      return stamp?.write === write ? { id: record.id, key: stamp.key } : []
    }),
  )
}
