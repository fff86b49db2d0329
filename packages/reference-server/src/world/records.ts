import type { Permission } from '../auth.js'
import type { ProcessingStatus, Project, Surface, Transcript, TranscriptUpload, Turn } from '../types.js'
import { parseInstant, toIso, tokens } from '../validation/index.js'

/** The annotations of a transcript by their keys, an open set. */
export type Annotations = Readonly<Record<string, unknown>>

/** A project of the world. */
export interface StoredProject {
  /** Only keys of this workspace have access. */
  readonly workspace: string
  /** The domain pack; stored, and in no response (interface: Endpoints › POST /projects). */
  readonly domain: 'general' | 'ai_coding'
  /** Added to the single read only, such as an executive summary, whose fields the interface does not show. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Replaced by each upload, with new count and times (interface: Resources › Project). */
  record: Project
}

/** The result of the model-based annotation of a transcript. */
export interface ModelAnnotations {
  /** The time from which it shows, in milliseconds since the epoch. */
  readonly at: number
  /** The model's result; patterns and `world.annotate` override equal keys. */
  readonly annotations: Annotations
}

/** A transcript of the world. */
export interface StoredTranscript {
  /** The workspace of its project. */
  readonly workspace: string
  /** The `id` of its project, which begins with `hp-`. */
  readonly projectId: string
  /** The record that the upload returned (interface: Resources › Transcript). */
  readonly record: Transcript
  /** In order, each with all uploaded fields. They must not change: a search keeps their folded text. */
  readonly turns: readonly Readonly<Turn>[]
  /** Those of the seed and of `world.annotate`; the pipeline's are added on each read. */
  annotations: Annotations
  /** True if the pipeline annotates it: it was queued, and no seed gave its annotations. */
  readonly analysed: boolean
  /** Of a plugged-in model, after it has answered. */
  model: ModelAnnotations | undefined
}

/** The options of a new key. */
export interface NewKey {
  /** The whole key. Default: `sk-service-api03-` and a new id. */
  key?: string
  /** A name for people, shown in place of the key. Default: none. */
  name?: string
  /** Default: the first workspace of the seed. */
  workspace?: string
  /** Default: no restriction, full access (interface: Authentication › Surface B). */
  permissions?: readonly Permission[]
  /** Checked with the ambiguity `separateKeys` only. Default: both. */
  surfaces?: readonly Surface[]
  /** Default false. */
  revoked?: boolean
}

/** The options of a new project. */
export interface NewProject {
  /** Default: `hp-` and a new id. Must not exist yet. */
  id?: string
  /** Default: the first workspace of the seed. */
  workspace?: string
  /** 1 to 500 characters; checked in requests and by `readSeed` only (interface: Limits › Surface B). */
  name: string
  /** Default `general` (interface: Endpoints › POST /projects). */
  domain?: 'general' | 'ai_coding'
  /** Fields that the single read adds to the record. Default: none. */
  extra?: Readonly<Record<string, unknown>>
  /** ISO 8601. Default: the time of the clock. */
  created_at?: string
  /** ISO 8601. Default: the time of the last upload, else `created_at`. */
  updated_at?: string
  /** Milliseconds since it was stored, from which a lag of lists counts. Default: it was there at the start. */
  ageMs?: number
}

/** A transcript of a seed: the body of an upload, and more. */
export interface NewTranscript extends TranscriptUpload {
  /** Default: `tr_` and a new id. Must not exist yet. */
  id?: string
  /** Annotations in place of the pipeline's. */
  annotations?: Annotations
  /** Default: the result of `process` and the server's `submit` (interface: States and transitions). */
  processing_status?: ProcessingStatus
  /** True if the pipeline annotates it, too. Default: if it was queued and has no `annotations` here. */
  analysed?: boolean
  /** The result of a plugged-in model, which shows from `inMs` milliseconds on. Default: it has not answered. */
  model?: { inMs: number; annotations: Annotations }
  /** ISO 8601. Default: the time of the clock. */
  created_at?: string
  /** Milliseconds since it was stored, for the steps of the pipeline. Default 0. */
  ageMs?: number
  /** True if a lag of lists counts from then, too. Default: it was there at the start. */
  lags?: boolean
}

/** The record of a new transcript, still `skipped`. */
export function newTranscriptRecord(id: string, createdAt: string, upload: NewTranscript): Transcript {
  const { turns, sourceTimestamp } = upload
  const sourceMs = sourceTimestamp === undefined ? undefined : parseInstant(sourceTimestamp)?.ms
  return {
    id,
    name: upload.name,
    model_name: upload.modelName ?? null,
    language: upload.language ?? null,
    source_system: upload.sourceSystem ?? null,
    external_id: upload.externalId ?? null,
    external_user_id: upload.externalUserId ?? null,
    metadata: upload.metadata ?? {},
    turn_count: turns.length,
    user_turn_count: turns.filter(({ role }) => role === 'user').length,
    assistant_turn_count: turns.filter(({ role }) => role === 'assistant').length,
    total_token_count: turns.reduce((sum, { content }) => sum + tokens(content), 0),
    source_timestamp: sourceMs === undefined ? null : toIso(sourceMs),
    created_at: createdAt,
    processing_status: 'skipped',
  }
}
