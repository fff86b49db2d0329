import type { Fingerprint } from '../errors/index.js'
import type { Answer } from '../http/index.js'
import { parseBody } from '../json.js'
import type { CallOptions } from '../options.js'
import { everyItem, type Page } from '../pagination.js'
import { type Content, contentMatch, instantOf, type Lookup, stampOf, stampUpload } from '../reconciliation/index.js'
import type {
  AllQuery,
  PageQuery,
  Transcript,
  TranscriptDetail,
  TranscriptFilters,
  TranscriptRow,
  TranscriptUpload,
  TurnUpload,
  WrittenUpload,
} from '../types.js'
import { checkUpload, limits } from '../validation/index.js'
import type { Call } from './call.js'

/** The transcript verbs of surface B. */
export function transcriptVerbs(call: Call) {
  const listPage = (
    projectId: string,
    query: TranscriptFilters & PageQuery = {},
    options?: CallOptions,
  ): Answer<Page<TranscriptRow>> => call('transcripts.list', { path: { projectId }, query }, options, (body) => body)

  const getTranscript = (transcriptId: string, options?: CallOptions): Answer<TranscriptDetail> =>
    call(
      'transcripts.get',
      { path: { transcriptId } },
      options,
      // The interface does not show this record; what it holds is kept whole.
      (body) => body.data as TranscriptDetail,
    )

  /** Where an upload is searched: as narrow as what was sent allows. */
  const lookupOf = (projectId: string, sent: TranscriptUpload, options: CallOptions | undefined): Lookup => {
    const { modelName, language, sourceSystem, sourceTimestamp } = sent
    const filters = { model_name: modelName, language, source_system: sourceSystem, ...aroundTime(sourceTimestamp) }
    return {
      stamp: stampOf(sent),
      matchContent: (record) => contentMatch(record, contentOf(sent)),
      list: (limit) => ({
        page: (page) =>
          listPage(
            projectId,
            { ...filters, page, limit: limits.pageSize.max },
            { ...options, ...limit() },
          ).withResponse(),
        read: (id) => getTranscript(id, { ...options, ...limit() }),
      }),
    }
  }

  return {
    /**
     * Uploads a transcript; resolves also when `processing_status` is `error`, for it is stored. Declares 400, 401,
     * 403, 404, 413, 429. A lost answer is looked for in the project's transcripts; sent again only when it is provably
     * not stored, else an AmbiguousWriteError (interface: Endpoints › POST /projects/{projectId}/transcripts).
     */
    upload: (
      projectId: string,
      transcript: TranscriptUpload | WrittenUpload,
      options?: CallOptions,
    ): Answer<Transcript> => {
      const { json } = (transcript ?? {}) as Partial<WrittenUpload>
      const given = transcript as TranscriptUpload
      return call('transcripts.upload', { path: { projectId }, json }, options, (body) => body.data, {
        body: ({ stamp }) => (stamp && json === undefined ? stampUpload(given) : given),
        check: (bytes) => checkUpload(json === undefined ? transcript : parseBody(json), bytes),
        fingerprint: fingerprintOf,
        lookup: (sent: TranscriptUpload) => lookupOf(projectId, sent, options),
      })
    },

    /**
     * One page of a project's transcripts that the filters let through. Declares 400, 401, 403, 404, 429. A lost answer
     * is asked for again (interface: Endpoints › GET /projects/{projectId}/transcripts).
     */
    list: listPage,

    /**
     * Every transcript of a project that the filters let through, each once, in pages of `limit`; `break` stops
     * fetching. Throws what `list` rejects with, and the call's options hold for each page
     * (interface: Endpoints › GET /projects/{projectId}/transcripts).
     */
    all: (
      projectId: string,
      query: TranscriptFilters & AllQuery = {},
      options?: CallOptions,
    ): AsyncGenerator<TranscriptRow, void, undefined> => {
      const { maxItems, ...filters } = query
      const limit = Math.min(filters.limit ?? limits.pageSize.max, limits.pageSize.max)
      return everyItem((page) => listPage(projectId, { ...filters, page, limit }, options), limit, maxItems)
    },

    /**
     * One transcript with all its turns and annotations. Declares 401, 403, 404, 429. A lost answer is asked for again
     * (interface: Endpoints › GET /transcripts/{transcriptId}).
     */
    get: getTranscript,
  }
}

/** What an upload stores beside its fingerprint, by the record's names; null where nothing was sent. */
const contentOf = ({ turns, ...sent }: TranscriptUpload): Content => ({
  turns: turns?.map((turn: TurnUpload) => ({ toolCalls: null, toolResults: null, ...turn })) ?? [],
  metadata: sent.metadata ?? null,
  model_name: sent.modelName ?? null,
  language: sent.language ?? null,
  source_system: sent.sourceSystem ?? null,
  external_user_id: sent.externalUserId ?? null,
})

const fingerprintOf = (transcript: TranscriptUpload): Fingerprint => ({
  name: transcript.name,
  turn_count: transcript.turns?.length ?? null,
  external_id: transcript.externalId ?? null,
  // As JSON has it, in which a Date is a text.
  source_timestamp: (transcript.sourceTimestamp as string | undefined) ?? null,
})

/** A service may keep times without a fraction of the second. */
function aroundTime(time: unknown): { date_from?: Date; date_to?: Date } {
  const instant = instantOf(time)
  if (instant === undefined) return {}
  return { date_from: new Date(instant - 1_000), date_to: new Date(instant + 1_000) }
}
