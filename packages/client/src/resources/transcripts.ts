import type { Fingerprint } from '../errors/index.js'
import type { ResponsePromise } from '../http/index.js'
import { isObject, parseBody } from '../json.js'
import type { CallOptions } from '../options.js'
import {
  type Items,
  itemsOfList,
  iterable,
  type OpenPage,
  type PageBody,
  type PagedList,
  type PagePromise,
  pageOf,
} from '../pagination/index.js'
import type {
  AllQuery,
  PageQuery,
  Transcript,
  TranscriptDetail,
  TranscriptFilters,
  TranscriptRow,
  TranscriptUpload,
} from '../types.js'
import { type InputReport, limits } from '../validation.js'
import type { Call } from './call.js'
import { type ManyOptions, type ManyResult, settleMany } from './many.js'
import { pageFilters } from './projects.js'

export function transcriptMethods(call: Call) {
  // One function: it is a list of methods with their documentation.
  const listPage = (
    projectId: string,
    given?: TranscriptFilters & PageQuery,
    options?: CallOptions,
  ): PagePromise<TranscriptRow, OpenPage<TranscriptRow>> => {
    const query = given ?? {}
    const list: PagedList<OpenPage<TranscriptRow>> = {
      operation: 'transcripts.list',
      fetch: (page) => listPage(projectId, { ...query, page }, options),
    }
    const { annotation } = query
    const written = isObject(annotation) ? `${annotation.key}:${annotation.value}` : annotation
    const input = { path: { projectId }, query: { ...query, annotation: written } }
    return iterable(
      call(
        'transcripts.list',
        input,
        options,
        (body) => pageOf(body as PageBody<TranscriptRow>, query.page ?? 1, list),
        {
          filters: transcriptFilters,
          check: () => checkFilters(query),
        },
      ),
    )
  }

  const getTranscript = (transcriptId: string, options?: CallOptions): ResponsePromise<TranscriptDetail> =>
    // The interface does not show the fields of this record.
    call('transcripts.get', { path: { transcriptId } }, options, (body) => body.data as TranscriptDetail)

  const upload = (
    projectId: string,
    { transcript, json }: { transcript?: TranscriptUpload; json?: string },
    options: CallOptions | undefined,
  ): ResponsePromise<Transcript> =>
    call('transcripts.upload', { path: { projectId }, json }, options, (body) => body.data, {
      body: ({ stamp }, parts) => (stamp && transcript && parts.reconciliation?.stampUpload(transcript)) || transcript,
      check: (bytes, { validation }) => {
        const input = json === undefined ? transcript : parseBody(json)
        if (validation && json !== undefined && input === json) return { violations: [noJson], warnings: [] }
        return validation?.checkUpload(input, bytes)
      },
      fingerprint: fingerprintOf,
      lookup: (sent: TranscriptUpload, { uploadLookup }) => {
        const list = (query: TranscriptFilters & PageQuery, options: CallOptions) => listPage(projectId, query, options)
        const isOwnStamp = !transcript || !('svc' in Object(transcript.metadata))
        return uploadLookup(sent, isOwnStamp, list, getTranscript)
      },
    })

  return {
    /**
     * Upload a transcript; a `processing_status` of `error` means stored but not analysed. Declares 400, 401, 403, 404,
     * 413, 429. If the answer is lost, searches the project's transcripts and sends again only if the transcript is
     * provably not stored, else throws an AmbiguousWriteError
     * (interface: Endpoints › POST /projects/{projectId}/transcripts).
     */
    upload: (projectId: string, transcript: TranscriptUpload, options?: CallOptions): ResponsePromise<Transcript> =>
      upload(projectId, { transcript }, options),

    /**
     * Upload a transcript that is already the JSON of a `TranscriptUpload`: it is checked and sent unchanged, without a new
     * stamp. If it has one, its `write` must be new: a record with the same `write` counts as this upload. Answer and errors are those of `upload` (interface: Endpoints › POST /projects/{projectId}/transcripts).
     */
    uploadJson: (projectId: string, json: string, options?: CallOptions): ResponsePromise<Transcript> =>
      upload(projectId, { json }, options),

    /**
     * Upload many transcripts, `concurrency` at a time, and iterate over the results as they come: each has the `index`
     * and `input`, and a `status` of `fulfilled` with the `value` or `rejected` with the `reason`. An upload that fails
     * does not stop the others; an abort gives the results of all started uploads before it throws. Inputs are read as
     * calls can start, so a generator or stream of any length fits.
     *
     * @example
     * for await (const result of svc.transcripts.uploadMany(projectId, uploads, { concurrency: 8 }))
     *   if (result.status === 'rejected') console.error(result.index, result.reason)
     */
    uploadMany: <Input extends TranscriptUpload>(
      projectId: string,
      uploads: AsyncIterable<Input> | Iterable<Input>,
      options: ManyOptions = {},
    ): AsyncGenerator<ManyResult<Input, Transcript>, void, undefined> =>
      settleMany(
        uploads,
        (transcript, each) => upload(projectId, { transcript }, each),
        options,
        'transcripts.uploadMany',
      ),

    /**
     * List one page of a project's transcripts that match the filters; `for await` over it, also without `await`, gives its
     * items and those of all later pages. Declares 400, 401, 403, 404, 429. Retries a lost answer
     * (interface: Endpoints › GET /projects/{projectId}/transcripts).
     */
    list: listPage,

    /**
     * Iterate over every transcript of a project that matches the filters, each once; `break` stops fetching, `toArray`
     * collects, `pages` gives the pages. Options and errors of each page are those of `list`
     * (interface: Endpoints › GET /projects/{projectId}/transcripts).
     */
    all: (
      projectId: string,
      query?: TranscriptFilters & AllQuery,
      options?: CallOptions,
    ): Items<TranscriptRow, OpenPage<TranscriptRow>> => {
      const { maxItems, ...filters } = query ?? {}
      const limit = Math.min(filters.limit ?? limits.pageSize.max, limits.pageSize.max)
      return itemsOfList((page) => listPage(projectId, { ...filters, page, limit }, options), maxItems)
    },

    /**
     * Get one transcript with all its turns and annotations. Declares 401, 403, 404, 429. Retries a lost answer
     * (interface: Endpoints › GET /transcripts/{transcriptId}).
     */
    get: getTranscript,
  }
}

const transcriptFilters: { [K in keyof (TranscriptFilters & PageQuery)]-?: true } = {
  q: true,
  model_name: true,
  language: true,
  source_system: true,
  annotation: true,
  date_from: true,
  date_to: true,
  ...pageFilters,
}

/** The service splits a filter at its first colon, so it would read the rest of such a key as the value. */
function checkFilters({ annotation }: TranscriptFilters): InputReport {
  const isSplit = isObject(annotation) && String(annotation.key).includes(':')
  const violation = {
    pointer: '/annotation/key',
    message: 'expected a key without a colon',
    code: 'malformed',
  } as const
  return { violations: isSplit ? [violation] : [], warnings: [] }
}

const noJson = { pointer: '', message: 'expected JSON', code: 'not_json' } as const

const fingerprintOf = (transcript: TranscriptUpload): Fingerprint => ({
  name: transcript.name,
  turn_count: transcript.turns?.length ?? null,
  external_id: transcript.externalId ?? null,
  // Parsed from JSON, so a Date is a string.
  source_timestamp: (transcript.sourceTimestamp as string | undefined) ?? null,
})
