import type { Fingerprint } from '../errors/index.js'
import { invalidInput, jsonValueOf, type RequestInput, type ResponsePromise } from '../http/index.js'
import { isObject } from '../json.js'
import { type CallOptions, refuseUnknown, type Settings, type UploadOptions } from '../options.js'
import { type Items, listMethods, type OpenPage, type PageBody, type PagePromise } from '../pagination/index.js'
import type { Parts } from '../parts.js'
import { instantOf, onceNeeds } from '../reconciliation/index.js'
import type {
  AllQuery,
  PageQuery,
  Transcript,
  TranscriptDetail,
  TranscriptFilters,
  TranscriptRow,
  TranscriptUpload,
  TurnUpload,
} from '../types.js'
import type { Call } from './call.js'
import { type ManyOptions, type ManyResult, mapConcurrent } from './many.js'
import { pageFilters } from './projects.js'

/** The methods of `svc.transcripts`: conversation transcripts of a project (interface: Endpoints › Surface B). */
export interface TranscriptMethods {
  /**
   * Upload a transcript; a `processing_status` of `error` means stored but not analysed. Declares 400, 401, 403, 404,
   * 413, 429. If the answer is lost, searches the project's transcripts and sends again only if the transcript is
   * provably not stored, else throws an AmbiguousWriteError. With `once`, searches for an earlier upload with this id first
   * (interface: Endpoints › POST /projects/{projectId}/transcripts).
   *
   * @example
   * await svc.transcripts.upload(project, { name, turns, sourceTimestamp: call.endedAt }, { once: call.id })
   */
  upload(projectId: string, transcript: TranscriptUpload, options?: UploadOptions): ResponsePromise<Transcript>

  /**
   * Upload a transcript that is already the JSON of a `TranscriptUpload`: it is checked and sent unchanged, without a new
   * stamp. If it has one, its `write` must be new: a record with the same `write` counts as this upload. The result and the errors
   * are those of `upload` (interface: Endpoints › POST /projects/{projectId}/transcripts).
   */
  uploadJson(projectId: string, json: string, options?: CallOptions): ResponsePromise<Transcript>

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
  uploadMany<Input extends TranscriptUpload>(
    projectId: string,
    uploads: AsyncIterable<Input> | Iterable<Input>,
    options?: ManyOptions,
  ): AsyncGenerator<ManyResult<Input, Transcript>, void, undefined>

  /**
   * List one page of a project's transcripts that match the filters; `for await` over the call, without `await`, gives its
   * items and those of all later pages. Declares 400, 401, 403, 404, 429. Retries a lost answer
   * (interface: Endpoints › GET /projects/{projectId}/transcripts).
   */
  list(
    projectId: string,
    query?: TranscriptFilters & PageQuery,
    options?: CallOptions,
  ): PagePromise<TranscriptRow, OpenPage<TranscriptRow>>

  /**
   * Iterate over every transcript of a project that matches the filters, each once; `break` stops fetching, `toArray`
   * collects, `pages` gives the pages. Options and errors of each page are those of `list`
   * (interface: Endpoints › GET /projects/{projectId}/transcripts).
   */
  all(
    projectId: string,
    query?: TranscriptFilters & AllQuery,
    options?: CallOptions,
  ): Items<TranscriptRow, OpenPage<TranscriptRow>>

  /**
   * Get one transcript with all its turns and annotations. Declares 401, 403, 404, 429. Retries a lost answer
   * (interface: Endpoints › GET /transcripts/{transcriptId}).
   */
  get(transcriptId: string, options?: CallOptions): ResponsePromise<TranscriptDetail>
}

const operation = 'transcripts.upload'

type UploadInput = Omit<RequestInput, 'path' | 'query'> & { path: { projectId: string } }

export function transcriptMethods(call: Call, { reconciliation }: Parts): TranscriptMethods {
  const listsOf = (projectId: string) =>
    listMethods<TranscriptRow, OpenPage<TranscriptRow>, TranscriptFilters & PageQuery>(
      'transcripts.list',
      (query, options, pick) => {
        const input = () => ({ path: { projectId }, query: checkedQuery(query) })
        // The interface does not show the pagination of this list.
        return call('transcripts.list', input, options, (body) => pick(body as PageBody<TranscriptRow>))
      },
    )
  const list: TranscriptMethods['list'] = (projectId, query, options) => listsOf(projectId).list(query, options)

  const get: TranscriptMethods['get'] = (transcriptId, options) =>
    // The interface does not show the fields of this record.
    call('transcripts.get', { path: { transcriptId } }, options, (body) => body.data as TranscriptDetail)

  const send = (
    inputOf: (settings: Settings) => UploadInput | Promise<UploadInput>,
    projectId: string,
    options: CallOptions | undefined,
    isOnce = false,
  ): ResponsePromise<Transcript> =>
    call(operation, inputOf, options, (body) => body.data, {
      fingerprint: fingerprintOf,
      content: contentOf,
      // An upload with the same id may differ in the other fields.
      filters: isOnce ? timeFilter : filtersOf,
      isOnce,
      list: (query, each) => list(projectId, query, each),
      read: get,
    })

  const uploadOnce = async (path: UploadInput['path'], transcript: TranscriptUpload, id: string, stamp: boolean) => {
    const upload = jsonValueOf(transcript, operation) as TranscriptUpload
    const body = stamp && (await reconciliation?.stampOnce(path.projectId, id, upload))
    if (!body) throw onceNeeds('its stamp in metadata.svc')
    return { path, body, isStamped: true }
  }

  const upload: TranscriptMethods['upload'] = (projectId, transcript, options) => {
    const { once, ...callOptions } = options ?? {}
    const path = { projectId }
    const inputOf = ({ stamp }: Settings) => {
      if (once !== undefined) return uploadOnce(path, transcript, once, stamp)
      const body = (stamp && reconciliation?.withStamp(transcript)) || transcript
      return { path, body, isStamped: body !== transcript }
    }
    return send(inputOf, projectId, options && callOptions, once !== undefined)
  }

  return {
    upload,
    uploadJson: (projectId, json, options) => send(() => ({ path: { projectId }, json }), projectId, options),
    uploadMany: (projectId, uploads, options) =>
      mapConcurrent(
        uploads,
        (transcript, each) => upload(projectId, transcript, each),
        options,
        'transcripts.uploadMany',
      ),
    list,
    all: (projectId, query, options) => listsOf(projectId).all(query, options),
    get,
  }
}

const filters: { [K in keyof (TranscriptFilters & PageQuery)]-?: true } = {
  q: true,
  model_name: true,
  language: true,
  source_system: true,
  annotation: true,
  date_from: true,
  date_to: true,
  ...pageFilters,
}

/** Throws an InputError for an unknown filter, or a key of an annotation that the service would split at its colon. */
function checkedQuery(query: TranscriptFilters & PageQuery) {
  const operation = 'transcripts.list'
  refuseUnknown(operation, query, filters, 'filter')
  const { annotation } = query
  if (!isObject(annotation)) return { ...query, annotation }
  const { key, value } = annotation
  if (String(key).includes(':'))
    throw invalidInput(operation, [
      { pointer: '/annotation/key', message: 'expected a key without a colon', code: 'malformed' },
    ])
  return { ...query, annotation: `${key}:${value}` }
}

/** An upload as JSON holds it. */
type SentUpload = Omit<TranscriptUpload, 'sourceTimestamp'> & { sourceTimestamp?: string }

const fingerprintOf = ({ name, turns, externalId, sourceTimestamp }: SentUpload): Fingerprint => ({
  name,
  turn_count: turns?.length ?? null,
  external_id: externalId ?? null,
  source_timestamp: sourceTimestamp ?? null,
})

/** The uploaded fields that the fingerprint lacks, under the record's names; null if not sent. */
const contentOf = ({ turns, ...sent }: SentUpload) => ({
  turns: turns?.map((turn: TurnUpload) => ({ toolCalls: null, toolResults: null, ...turn })) ?? [],
  metadata: sent.metadata ?? null,
  model_name: sent.modelName ?? null,
  language: sent.language ?? null,
  source_system: sent.sourceSystem ?? null,
  external_user_id: sent.externalUserId ?? null,
})

/** The filters that the record of an upload passes. */
const filtersOf = ({ modelName, language, sourceSystem, ...upload }: SentUpload): TranscriptFilters => ({
  model_name: modelName,
  language,
  source_system: sourceSystem,
  ...timeFilter(upload),
})

/** The time of an upload within one second, because a service may drop the fraction. */
function timeFilter({ sourceTimestamp }: { sourceTimestamp?: unknown }): TranscriptFilters {
  const at = instantOf(sourceTimestamp)
  return at === undefined ? {} : { date_from: new Date(at - 1_000), date_to: new Date(at + 1_000) }
}
