import type { KeyRecord, Permission } from '../auth.js'
import type { ProcessingStatus, Project, Surface, Transcript, TranscriptUpload, Turn } from '../types.js'
import { parseInstant, toIso, tokens } from '../validation/index.js'

/** What is annotated of a transcript, by keys that nobody enumerates. */
export type Annotations = Readonly<Record<string, unknown>>

/** A project as it is kept. */
export interface StoredProject {
  /** Only keys of this workspace reach it. */
  readonly workspace: string
  /** The domain pack that was asked for; kept, and not answered (interface: Endpoints › POST /projects). */
  readonly domain: 'general' | 'ai_coding'
  /** Merged into the single read only; the place of an executive summary, whose shape the interface does not show. */
  extra: Readonly<Record<string, unknown>>
  /** Each upload puts another in its place, with moved count and times (interface: Resources › Project). */
  record: Project
}

/** What the model-based annotation of a transcript found, and since when it shows (milliseconds since the epoch). */
export interface ModelAnnotations {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** What the model gave; a pattern and `world.annotate` go over it where their keys are the same. */
  readonly annotations: Annotations
}

/** A transcript as it is kept: its record, the turns as they were uploaded, and its annotations. */
export interface StoredTranscript {
  /** That of its project. */
  readonly workspace: string
  /** The `id` of its project, which begins with `hp-`. */
  readonly projectId: string
  /** What the upload answered (interface: Resources › Transcript). */
  readonly record: Transcript
  /** In their order, each with all the fields that were sent. They must not change: a search keeps their folded text. */
  readonly turns: readonly Readonly<Turn>[]
  /** Those of the seed and of `world.annotate`; the pipeline's are added where they are read. */
  annotations: Annotations
  /** Whether the pipeline takes it: it was queued, and no seed said what its annotations are. */
  readonly analysed: boolean
  /** Of a plugged-in model, once it has answered. */
  model: ModelAnnotations | undefined
}

/** What a key may be made with; what is left out is made up or unrestricted. */
export interface NewKey {
  /** The whole key. Default: one that begins with `sk-service-api03-`, with an id of the server's source. */
  key?: string
  /** Default: the first workspace of the seed. */
  workspace?: string
  /** Default: no restriction, full access (interface: Authentication › Surface B). */
  permissions?: readonly Permission[]
  /** Looked at with the reading `separateKeys` only. Default: both. */
  surfaces?: readonly Surface[]
  /** Default false. */
  revoked?: boolean
}

/** What a project may be made with. */
export interface NewProject {
  /** Default: `hp-` and an id of the server's source. An Error when it is taken. */
  id?: string
  /** Default: the first workspace of the seed. */
  workspace?: string
  /** 1 to 500 characters; checked in a request and by `readSeed`, and not here (interface: Limits › Surface B). */
  name: string
  /** Default `general` (interface: Endpoints › POST /projects). */
  domain?: 'general' | 'ai_coding'
  /** Shown beside the record by the single read of the project. Default: nothing. */
  extra?: Readonly<Record<string, unknown>>
}

/** What a seed may say of a transcript beyond the body of an upload. */
export interface NewTranscript extends TranscriptUpload {
  /** Default: `tr_` and an id of the server's source. An Error when it is taken. */
  id?: string
  /** In place of what the pipeline would find. */
  annotations?: Annotations
  /** Default: what `process` and the server's `submit` come to (interface: States and transitions). */
  processing_status?: ProcessingStatus
}

/** What stands in a store under the id of a transcript; its turns and annotations are records of their own. */
export type TranscriptRow = Pick<StoredTranscript, 'workspace' | 'projectId' | 'record' | 'analysed'>

/** What stands in a store of the annotations of a transcript. */
export type AnnotationsRow = Pick<StoredTranscript, 'annotations' | 'model'>

export const newKey = (
  id: string,
  workspace: string,
  { permissions, surfaces, revoked = false }: NewKey,
): KeyRecord => ({
  key: id,
  workspace,
  permissions,
  surfaces,
  revoked,
  last_used_at: null,
})

/** A project without a transcript. `now` is milliseconds since the epoch. */
export function newProject(
  id: string,
  workspace: string,
  now: number,
  { name, domain, extra }: NewProject,
): StoredProject {
  const at = toIso(now)
  const record = { id, name, transcript_count: 0, latest_transcript_at: null, created_at: at, updated_at: at }
  return { workspace, domain: domain ?? 'general', extra: extra ?? {}, record }
}

/** The record of a project after one more upload. */
export const afterUpload = (record: Project, at: string): Project => ({
  ...record,
  transcript_count: record.transcript_count + 1,
  latest_transcript_at: at,
  updated_at: at,
})

/** The record of an upload, still `skipped`. `now` is milliseconds since the epoch. */
export function newTranscriptRecord(id: string, now: number, upload: NewTranscript): Transcript {
  const sourceMs = upload.sourceTimestamp === undefined ? undefined : parseInstant(upload.sourceTimestamp)?.ms
  const counts = counted(upload.turns)
  return {
    id,
    name: upload.name,
    model_name: upload.modelName ?? null,
    language: upload.language ?? null,
    source_system: upload.sourceSystem ?? null,
    external_id: upload.externalId ?? null,
    external_user_id: upload.externalUserId ?? null,
    metadata: upload.metadata ?? {},
    turn_count: upload.turns.length,
    user_turn_count: counts.user,
    assistant_turn_count: counts.assistant,
    total_token_count: counts.tokens,
    source_timestamp: sourceMs === undefined ? null : toIso(sourceMs),
    created_at: toIso(now),
    processing_status: 'skipped',
  }
}

function counted(turns: readonly Turn[]) {
  const counts = { user: 0, assistant: 0, tokens: 0 }
  for (const { role, content } of turns) {
    if (role === 'user') counts.user += 1
    if (role === 'assistant') counts.assistant += 1
    counts.tokens += tokens(content)
  }
  return counts
}
