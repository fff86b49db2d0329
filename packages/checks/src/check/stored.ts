import {
  type CallOptions,
  type Clock,
  everyItem,
  type ListEnd,
  limits,
  mapConcurrent,
  type SvcClient,
  type TranscriptDetail,
  type TranscriptFilters,
  type TranscriptRow,
} from '@svc/client'
import { count } from '@svc/text'
import { parse, type Transcript, TranscriptFileError, unreadTranscripts } from '@svc/transcripts'
import { CheckError } from '../check-error.js'
import { digestOf } from '../values.js'
import { stepOf } from './annotate.js'
import type { TranscriptInput, UnreadableInput } from './input.js'
import { messageOf } from './report-case.js'
import { deadlineOf, defaultConcurrency, outageThreshold } from './send-requests.js'

/** The part of the client that reads stored transcripts. */
export type ReadingClient = Pick<SvcClient, 'transcripts'>

/** Options of `storedTranscripts`. */
export interface StoredOptions {
  /** Read only so many, chosen by id. Default: all. */
  sample?: number | undefined
  /** Another seed chooses another sample. Default: `0`. */
  seed?: string | undefined
  /** The number of requests at the same time. Default: 4. */
  concurrency?: number | undefined
  /** The time after which no request is sent, in milliseconds. Default: none. */
  deadlineMs?: number | undefined
  /** Its abort ends the reading, with its reason as the error. */
  signal?: AbortSignal | undefined
  /** The time. Default: that of the machine. */
  clock?: Clock | undefined
  /** Called after each transcript with the number that were read until then. */
  onRead?: ((done: number) => void) | undefined
}

/** A stored transcript, or why it cannot be read. */
export type StoredInput = (TranscriptInput & { transcript: Transcript }) | UnreadableInput

/** The stored transcripts of a project, as `check` takes them. They are listed once, and each iteration reads them. */
export interface StoredTranscripts extends AsyncIterable<StoredInput> {
  /** List them. */
  list(): Promise<StoredList>
}

/** The list of stored transcripts, before they are read. */
export interface StoredList {
  /** The project. */
  project: string
  /** The filters by name, as texts. */
  filters: Readonly<Record<string, string>>
  /** The ids of the transcripts to read, sorted. */
  ids: readonly string[]
  /** The size of the sample; undefined without one. */
  sample: number | undefined
  /** The seed of the sample; undefined without one. */
  seed: string | undefined
  /** The number of listed transcripts that the sample leaves out. */
  notSelected: number
  /** Why the list may lack transcripts; undefined if it is whole. `temporary`: a further list may be whole. */
  gap: { detail: string; temporary: boolean } | undefined
  /** Facts that a reader of the results should know, a sentence each. */
  notes: readonly string[]
  /** The number of list requests. */
  requests: number
}

/**
 * The stored transcripts of a project that match the filters, as an input of `check`: all are listed, and each is read. Those
 * that cannot be read exactly, and a list that may lack some, are not judged (interface: Endpoints › GET /projects/{projectId}/transcripts).
 *
 * @throws {ServiceError} while they are listed, such as for an unknown project
 *
 * @example
 * const transcripts = storedTranscripts(client, 'hp-…', { model_name: 'model-a' }, { sample: 200 })
 * const { report } = await check({ client, annotator: 'structural', transcripts })
 */
export function storedTranscripts(
  client: ReadingClient,
  project: string,
  filters: TranscriptFilters = {},
  options: StoredOptions = {},
): StoredTranscripts {
  const { list, read, end } = openStored(client, project, filters, options)
  return {
    list,
    async *[Symbol.asyncIterator]() {
      try {
        const { ids, gap } = await list()
        for await (const { id: _, ...each } of read(ids)) {
          if ('error' in each) yield each
          else yield { path: each.path, transcript: each.transcript }
        }
        if (gap) yield { path: project, error: gap.detail, why: 'incomplete', temporary: gap.temporary }
      } finally {
        end()
      }
    },
  }
}

/** A stored transcript with the text of its file, or why it cannot be read. */
export type StoredRecord = { id: string; path: string } & (
  | { transcript: Transcript; text: string }
  | Omit<UnreadableInput, 'path'>
)

/** The stored transcripts that match, to list once and read by their ids. `end` stops the timer of their deadline. */
export function openStored(client: ReadingClient, project: string, filters: TranscriptFilters, options: StoredOptions) {
  const { signal, clock, deadlineMs } = options
  const deadline = deadlineOf({}, { deadlineMs, clock })
  const call = (): CallOptions => ({ signal, deadlineMs: deadline.left() })
  let listed: Promise<StoredList> | undefined
  return {
    list() {
      listed ??= listStored({ client, project, filters, call }, options)
      return listed
    },
    read: (ids: readonly string[]) => readStored(client, { project, ids, call }, options),
    end: deadline.end,
  }
}

/** True for the value of `storedTranscripts`. */
export const isStored = <Inputs extends object>(
  transcripts: Inputs,
): transcripts is Inputs & Pick<StoredTranscripts, 'list'> =>
  'list' in transcripts && typeof transcripts.list === 'function'

interface Listing {
  client: ReadingClient
  project: string
  filters: TranscriptFilters
  call(): CallOptions
}

async function listStored(listing: Listing, { sample, seed = '0' }: StoredOptions): Promise<StoredList> {
  const { client, project, filters, call } = listing
  const limit = limits.pageSize.max
  let requests = 0
  let end: ListEnd | undefined
  const ids = new Set<string>()
  let unnamed = 0
  const fetchPage = (page: number) => {
    requests++
    return client.transcripts.list(project, { ...filters, page, limit }, call())
  }
  const onEnd = (at: ListEnd) => {
    end = at
  }
  for await (const { id } of everyItem<TranscriptRow>(fetchPage, { isThorough: true, limit, onEnd })) {
    if (typeof id === 'string' && id !== '') ids.add(id)
    else unnamed++
  }
  const all = [...ids].sort()
  const drawn = sample === undefined ? all : drawnFrom(all, sample, seed)
  const untimed = await untimedNote(client, project, filters, { call, onRequest: () => requests++ })
  return {
    ...{ project, filters: textsOf(filters), ids: drawn, sample, seed: sample === undefined ? undefined : seed },
    ...{ notSelected: all.length - drawn.length, gap: gapOf(end, unnamed), notes: untimed ? [untimed] : [], requests },
  }
}

/** A sample by id, so that it depends neither on the order of the list nor on the content. */
function drawnFrom(ids: readonly string[], size: number, seed: string): string[] {
  const byRank = ids.map((id) => [digestOf(`${seed}\n${id}`), id] as const).sort()
  return byRank
    .slice(0, size)
    .map(([, id]) => id)
    .sort()
}

/** Only a list that is proven to be whole has no gap. */
function gapOf(end: ListEnd | undefined, unnamed: number): StoredList['gap'] {
  const because = (detail: string, temporary = false) => ({ detail: `the list is incomplete: ${detail}`, temporary })
  if (unnamed > 0) return because(`${count(unnamed, 'row')} without an id`)
  if (end?.isWhole) return undefined
  const { incomplete, seen = 0, total = 0 } = end ?? {}
  if (incomplete === 'moved') return because('transcripts moved from page to page while it was read', true)
  if (total > seen) return because(`the service counts ${count(total, 'transcript')} and lists ${seen}`)
  return because('the service does not show where it ends')
}

/** Before any time of a conversation. */
const longAgo = '1970-01-01'

/**
 * A sentence about the transcripts that `date_from` and `date_to` never see, because they have no `source_timestamp`; undefined
 * without such a filter, without such transcripts, or where the service does not show totals. Costs two requests.
 *
 * @example
 * const note = await untimedNote(client, 'hp-…', { date_from: new Date('2026-01-01') })
 */
export async function untimedNote(
  client: ReadingClient,
  project: string,
  filters: TranscriptFilters,
  { call = () => ({}), onRequest = () => {} }: { call?: () => CallOptions; onRequest?: () => void } = {},
): Promise<string | undefined> {
  const { date_from, date_to, ...others } = filters
  if (date_from === undefined && date_to === undefined) return undefined
  const totalOf = async (query: TranscriptFilters) => {
    onRequest()
    const { total } = await client.transcripts.list(project, { ...query, limit: 1 }, call())
    return total ?? 0
  }
  try {
    const untimed = (await totalOf(others)) - (await totalOf({ ...others, date_from: longAgo }))
    if (untimed <= 0) return undefined
    const [have, them] = untimed === 1 ? ['has', 'it'] : ['have', 'them']
    return `${count(untimed, 'transcript')} ${have} no source_timestamp, and date_from and date_to leave ${them} out`
  } catch {
    call().signal?.throwIfAborted()
    return undefined
  }
}

const textsOf = (filters: TranscriptFilters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, textOf(value)]])),
  )

function textOf(value: string | Date | { key: string; value: string }): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : `${value.key}:${value.value}`
}

/** Read transcripts in the order of their ids. After an outage the others are not read. */
async function* readStored(
  client: ReadingClient,
  { project, ids, call }: { project: string; ids: readonly string[]; call(): CallOptions },
  { concurrency = defaultConcurrency, signal, onRead }: StoredOptions,
): AsyncGenerator<StoredRecord, void, undefined> {
  const waiting = new Map<number, StoredRecord>()
  let next = 0
  let done = 0
  let failures = 0
  const until = () => failures >= outageThreshold(concurrency)
  const read = async (id: string): Promise<StoredRecord> => {
    const place = { id, path: `${project}/${id}` }
    try {
      const text = recordText(await recordOf(client, id, call))
      return { ...place, transcript: transcriptOf(text), text }
    } catch (error) {
      signal?.throwIfAborted()
      return { ...place, ...unreadBecause(error) }
    }
  }
  for await (const each of mapConcurrent(ids, read, { concurrency, until, ...(signal && { signal }) })) {
    if (each.status === 'rejected') throw each.reason
    const { index, value } = each
    failures = 'error' in value && value.temporary ? failures + 1 : 0
    waiting.set(index, value)
    onRead?.(++done)
    for (let ready = waiting.get(next); ready; ready = waiting.get(next)) {
      waiting.delete(next++)
      yield ready
    }
  }
  const error = `not read: ${count(outageThreshold(concurrency), 'request')} in a row failed`
  for (const [at, id] of ids.entries())
    if (at >= next) yield waiting.get(at) ?? { id, path: `${project}/${id}`, error, why: 'unreadable', temporary: true }
}

/** @throws {CheckError} if the service answers with another record */
async function recordOf(client: ReadingClient, id: string, call: () => CallOptions): Promise<TranscriptDetail> {
  const record = await client.transcripts.get(id, call())
  const { id: shown = id } = record as Partial<TranscriptDetail>
  if (shown === id) return record
  throw new CheckError('malformed_answer', `the service answered with the record ${String(shown)}`)
}

/**
 * The text of a stored transcript as a file, in the form `upload` of `@svc/transcripts`, which decides what is read of it. The
 * stamp of the upload is left out: it identifies that record alone.
 */
function recordText({ turns, metadata, ...record }: TranscriptDetail): string {
  const { svc: _, ...fields } = Object(metadata) as Record<string, unknown>
  return JSON.stringify({ ...record, ...(metadata && { metadata: fields }), turns: Array.isArray(turns) ? turns : [] })
}

/** @throws {TranscriptFileError} if it does not map exactly to an upload */
function transcriptOf(text: string): Transcript {
  const [transcript] = parse(text, { format: 'upload', hash: digestOf }).transcripts
  return transcript as Transcript
}

/** @throws the error of a key that can read nothing */
function unreadBecause(error: unknown): Omit<UnreadableInput, 'path'> {
  if (error instanceof TranscriptFileError) {
    const [gap] = unreadTranscripts(error.problems)
    return { error: gap?.detail, why: gap?.why }
  }
  const step = stepOf(error)
  if (step === 'check_key') throw error
  return { error: messageOf(error), why: 'unreadable', temporary: step === 'try_later' }
}
