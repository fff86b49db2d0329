import type { Answer } from '../http/index.js'
import type { CallOptions } from '../options.js'
import type { PageBody } from '../pagination.js'
import type { PageQuery, TranscriptFilters, TranscriptUpload, TurnUpload } from '../types.js'
import { limits } from '../validation/index.js'
import { type Content, contentMatch, instantOf, type WriteQuery } from './match.js'
import { stampOf } from './stamp.js'

/** How to search for the record of a write. */
export interface Lookup extends Pick<WriteQuery, 'stamp' | 'matchContent'> {
  /** Lists one 1-indexed page of up to 100 rows. */
  page(page: number, options: CallOptions): Answer<PageBody<object>>
  /** Reads one record. */
  read(id: string, options: CallOptions): Promise<object>
}

type ListPage<Query> = (query: Query & PageQuery, options: CallOptions) => Answer<PageBody<object>>

export const projectLookup = (list: ListPage<object>, read: Lookup['read']): Lookup => ({
  page: (page, options) => list({ page, limit: limits.pageSize.max }, options),
  read,
})

export function uploadLookup(sent: TranscriptUpload, list: ListPage<TranscriptFilters>, read: Lookup['read']): Lookup {
  const { modelName, language, sourceSystem, sourceTimestamp } = sent
  const filters = { model_name: modelName, language, source_system: sourceSystem, ...aroundTime(sourceTimestamp) }
  return {
    stamp: stampOf(sent),
    matchContent: (record) => contentMatch(record, contentOf(sent)),
    page: (page, options) => list({ ...filters, page, limit: limits.pageSize.max }, options),
    read,
  }
}

/** The uploaded fields that the fingerprint lacks, under the record's names; null if not sent. */
const contentOf = ({ turns, ...sent }: TranscriptUpload): Content => ({
  turns: turns?.map((turn: TurnUpload) => ({ toolCalls: null, toolResults: null, ...turn })) ?? [],
  metadata: sent.metadata ?? null,
  model_name: sent.modelName ?? null,
  language: sent.language ?? null,
  source_system: sent.sourceSystem ?? null,
  external_user_id: sent.externalUserId ?? null,
})

/** One second either side, because a service may drop the fraction. */
function aroundTime(time: unknown): { date_from?: Date; date_to?: Date } {
  const instant = instantOf(time)
  if (instant === undefined) return {}
  return { date_from: new Date(instant - 1_000), date_to: new Date(instant + 1_000) }
}
