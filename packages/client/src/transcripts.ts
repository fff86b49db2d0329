import { declares } from './answer.js'
import type { Answer } from './answered.js'
import type { Call } from './call.js'
import { checkUpload } from './check-input.js'
import { edgePages, lookLimit } from './edge-pages.js'
import type { Fingerprint } from './errors.js'
import { limits } from './limits.js'
import { instantOf, stampOf } from './match.js'
import type { Operation } from './operation.js'
import type { CallOptions } from './options.js'
import { everyItem, type Page } from './page.js'
import { queryOf } from './query.js'
import type { Lookup } from './reconcile.js'
import type {
  AllQuery,
  PageQuery,
  Transcript,
  TranscriptDetail,
  TranscriptFilters,
  TranscriptRow,
  TranscriptUpload,
  TurnUpload,
} from './types.js'
import { asBody, type WorkspaceWire } from './wire.js'

const surface = { surface: 'workspace', key: 'required' } as const
const upload: Operation = { ...surface, id: 'transcripts.upload', repeat: 'write', declares: declares.record }
const list: Operation = { ...surface, id: 'transcripts.list', repeat: 'read', declares: declares.page }
const get: Operation = { ...surface, id: 'transcripts.get', repeat: 'read', declares: declares.record }

/** The transcript verbs of surface B. */
export function transcriptVerbs(wire: WorkspaceWire, call: Call, stamps: boolean) {
  const listPage = (
    projectId: string,
    query: TranscriptFilters & PageQuery = {},
    options?: CallOptions,
  ): Answer<Page<TranscriptRow>> =>
    call(
      list,
      options,
      (to) =>
        wire.GET('/projects/{projectId}/transcripts', {
          params: { path: { projectId }, query: queryOf(query, list.id) },
          ...to,
        }),
      (body) => body,
    )

  const getTranscript = (transcriptId: string, options?: CallOptions): Answer<TranscriptDetail> =>
    call(
      get,
      options,
      (to) =>
        wire.GET('/transcripts/{transcriptId}', {
          params: { path: { transcriptId } },
          ...to,
        }),
      // The interface does not show this record; what it holds is kept whole.
      (body) => body.data as TranscriptDetail,
    )

  /** Where an upload is looked for: as narrow as what was sent allows. */
  const lookupOf = (
    projectId: string,
    transcript: TranscriptUpload,
    stamp: string | undefined,
    options: CallOptions | undefined,
  ): Lookup => {
    const { modelName, language, sourceSystem, sourceTimestamp } = transcript
    const said = wordsOf(transcript.turns)
    const filters = {
      model_name: modelName,
      language,
      source_system: sourceSystem,
      ...aroundTime(sourceTimestamp),
    }
    return {
      stamp,
      rows: (limit, since) =>
        edgePages(
          (page) =>
            listPage(projectId, { ...filters, page, limit: lookLimit }, { ...options, ...limit }).withResponse(),
          limit.now,
          since,
        ),
      read: (id, limit) => getTranscript(id, { ...options, ...limit }),
      alike: ({ turns }) =>
        Array.isArray(turns) ? JSON.stringify(wordsOf(turns)) === JSON.stringify(said) : undefined,
    }
  }

  return {
    /**
     * Uploads a transcript; resolves also when `processing_status` is `error`, for it is stored. Declares 400, 401,
     * 403, 404, 413, 429. A lost answer is looked for in the project's transcripts; sent again only when it is provably
     * not stored, else an AmbiguousWriteError (interface: Endpoints › POST /projects/{projectId}/transcripts).
     */
    upload: (projectId: string, transcript: TranscriptUpload, options?: CallOptions): Answer<Transcript> => {
      const made = stamps && mayBear(transcript) ? crypto.randomUUID() : undefined
      const stamp = made ?? (stamps ? stampOf(transcript?.metadata) : undefined)
      return call(
        upload,
        options,
        (to) =>
          wire.POST('/projects/{projectId}/transcripts', {
            params: { path: { projectId } },
            body: asBody(bodyOf(transcript, made)),
            ...to,
          }),
        (body) => body.data,
        {
          check: (bytes) => checkUpload(transcript, bytes),
          fingerprint: () => fingerprintOf(transcript),
          lookup: () => lookupOf(projectId, transcript, stamp, options),
        },
      )
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

/** Who said what, as it was when the call was made. */
const wordsOf = (turns: TranscriptUpload['turns']): unknown =>
  Array.isArray(turns) ? turns.map((turn: TurnUpload) => [turn?.role, turn?.content]) : turns

/** The stamp stands beside the caller's own metadata, under a name that is never overwritten. */
const bodyOf = (transcript: TranscriptUpload, stamp: string | undefined) =>
  stamp ? { ...transcript, metadata: { ...transcript.metadata, svc: { key: stamp, occurrence: 1 } } } : transcript

/** Whether there is room for a stamp: metadata that is an object, or none, without a stamp of the caller's own. */
function mayBear(transcript: TranscriptUpload | null | undefined): boolean {
  const metadata: unknown = transcript?.metadata
  return (
    metadata === undefined ||
    (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) && !('svc' in metadata))
  )
}

const fingerprintOf = (transcript: TranscriptUpload): Fingerprint => ({
  name: transcript.name,
  turn_count: transcript.turns?.length ?? null,
  external_id: transcript.externalId ?? null,
  source_timestamp: timeOf(transcript.sourceTimestamp),
})

const timeOf = (time: string | Date | undefined): string | null => (time instanceof Date ? time.toJSON() : time) ?? null

/** A service may keep times without a fraction of the second. */
function aroundTime(time: string | Date | undefined): { date_from?: Date; date_to?: Date } {
  const instant = instantOf(timeOf(time))
  if (instant === undefined) return {}
  return { date_from: new Date(instant - 1_000), date_to: new Date(instant + 1_000) }
}
