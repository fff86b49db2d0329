import type { Clock } from './clock.js'
import type { KeyRecord, Permission } from './guard.js'
import type { IdSource } from './ids.js'
import { parseInstant, toIso } from './iso-date.js'
import { tokens } from './text.js'
import type { ProcessingStatus, Project, Surface, Transcript, TranscriptUpload, Turn } from './types.js'

/** A project as it is kept. */
export interface StoredProject {
  readonly workspace: string
  readonly domain: 'general' | 'ai_coding'
  /** Merged into the single read only; the place of an executive summary, whose shape the interface does not show. */
  extra: Readonly<Record<string, unknown>>
  readonly record: Project
}

/** A transcript as it is kept: its record, the turns as they were uploaded, and its annotations. */
export interface StoredTranscript {
  readonly workspace: string
  readonly projectId: string
  readonly record: Transcript
  readonly turns: readonly Turn[]
  annotations: Readonly<Record<string, unknown>>
  /** `source_timestamp` in milliseconds since the epoch. */
  readonly sourceMs: number | null
}

/** What a key may be made with; what is left out is made up or unrestricted. */
export interface NewKey {
  key?: string
  workspace?: string
  permissions?: readonly Permission[]
  surfaces?: readonly Surface[]
  revoked?: boolean
}

/** What a project may be made with. */
export interface NewProject {
  id?: string
  workspace?: string
  name: string
  domain?: 'general' | 'ai_coding'
  extra?: Readonly<Record<string, unknown>>
}

/** What a seed may say of a transcript beyond the body of an upload. */
export interface NewTranscript extends TranscriptUpload {
  id?: string
  annotations?: Readonly<Record<string, unknown>>
  processing_status?: ProcessingStatus
}

/** All state of one reference server: keys, projects, transcripts. Time, ids and the pipeline are arguments. */
export class World {
  /** Submits the annotation job of a transcript; false makes its `processing_status` `error`. May be replaced. */
  submit: (transcript: Transcript) => boolean
  readonly #clock: Clock
  readonly #ids: IdSource
  readonly #workspace: string
  readonly #keys = new Map<string, KeyRecord>()
  readonly #projects = new Map<string, StoredProject>()
  readonly #transcripts = new Map<string, StoredTranscript>()
  readonly #byWorkspace = new Map<string, StoredProject[]>()
  readonly #byProject = new Map<string, StoredTranscript[]>()

  constructor(options: {
    clock: Clock
    ids: IdSource
    workspace: string
    submit?: (transcript: Transcript) => boolean
  }) {
    this.#clock = options.clock
    this.#ids = options.ids
    this.#workspace = options.workspace
    this.submit = options.submit ?? (() => true)
  }

  /** Makes a key, or one in the place of the key of the same text. */
  createKey({ key, workspace, permissions, surfaces, revoked = false }: NewKey = {}): KeyRecord {
    const record: KeyRecord = {
      key: key ?? `sk-service-api03-${this.#ids().replaceAll('-', '')}`,
      workspace: workspace ?? this.#workspace,
      permissions,
      surfaces,
      revoked,
      last_used_at: null,
    }
    this.#keys.set(record.key, record)
    return record
  }

  /** The key of this text, also when it is revoked. */
  key(key: string): KeyRecord | undefined {
    return this.#keys.get(key)
  }

  /** Revokes a key; `restore` takes it back. */
  revoke(key: string): void {
    this.#known(key).revoked = true
  }

  /** Takes a revocation back. */
  restore(key: string): void {
    this.#known(key).revoked = false
  }

  /** Deletes a key for good. */
  delete(key: string): void {
    this.#keys.delete(this.#known(key).key)
  }

  createProject({ id, workspace, name, domain = 'general', extra = {} }: NewProject): StoredProject {
    const now = toIso(this.#clock.now())
    const project: StoredProject = {
      workspace: workspace ?? this.#workspace,
      domain,
      extra,
      record: {
        id: id ?? `hp-${this.#ids()}`,
        name,
        transcript_count: 0,
        latest_transcript_at: null,
        created_at: now,
        updated_at: now,
      },
    }
    this.#projects.set(project.record.id, project)
    insert(this.#byWorkspace, project.workspace, project)
    return project
  }

  project(id: string): StoredProject | undefined {
    return this.#projects.get(id)
  }

  /** The projects of a workspace (default: the first one), newest first. */
  projects(workspace = this.#workspace): readonly StoredProject[] {
    return this.#byWorkspace.get(workspace) ?? []
  }

  /** Stores a transcript in a project that exists, and moves the project's count and times. */
  createTranscript(project: StoredProject, upload: NewTranscript): StoredTranscript {
    const now = toIso(this.#clock.now())
    const sourceMs = upload.sourceTimestamp === undefined ? null : (parseInstant(upload.sourceTimestamp)?.ms ?? null)
    const record: Transcript = {
      id: upload.id ?? `tr_${this.#ids()}`,
      name: upload.name,
      model_name: upload.modelName ?? null,
      language: upload.language ?? null,
      source_system: upload.sourceSystem ?? null,
      external_id: upload.externalId ?? null,
      external_user_id: upload.externalUserId ?? null,
      metadata: upload.metadata ?? {},
      turn_count: upload.turns.length,
      user_turn_count: count(upload.turns, 'user'),
      assistant_turn_count: count(upload.turns, 'assistant'),
      total_token_count: upload.turns.reduce((sum, { content }) => sum + tokens(content), 0),
      source_timestamp: sourceMs === null ? null : toIso(sourceMs),
      created_at: now,
      processing_status: 'skipped',
    }
    if (upload.process !== false) record.processing_status = this.submit(record) ? 'queued' : 'error'
    if (upload.processing_status) record.processing_status = upload.processing_status
    const projectId = project.record.id
    const { workspace } = project
    const { turns, annotations = {} } = upload
    const transcript: StoredTranscript = { workspace, projectId, record, turns, annotations, sourceMs }
    this.#transcripts.set(record.id, transcript)
    insert(this.#byProject, projectId, transcript)
    project.record.transcript_count += 1
    project.record.latest_transcript_at = now
    project.record.updated_at = now
    return transcript
  }

  transcript(id: string): StoredTranscript | undefined {
    return this.#transcripts.get(id)
  }

  /** The transcripts of a project, newest first. */
  transcripts(projectId: string): readonly StoredTranscript[] {
    return this.#byProject.get(projectId) ?? []
  }

  #known(key: string): KeyRecord {
    const record = this.#keys.get(key)
    if (!record) throw new Error('There is no such key in this world.')
    return record
  }
}

const count = (turns: readonly Turn[], role: Turn['role']) => turns.filter((turn) => turn.role === role).length

/** Keeps a list newest first, and by id where two were made in the same millisecond: a later id before an earlier one. */
function insert<T extends { record: { id: string; created_at: string } }>(
  lists: Map<string, T[]>,
  name: string,
  item: T,
): void {
  const items = lists.get(name)
  if (!items) return void lists.set(name, [item])
  const place = items.findIndex(({ record }) => isBefore(item.record, record))
  items.splice(place < 0 ? items.length : place, 0, item)
}

const isBefore = (a: { id: string; created_at: string }, b: { id: string; created_at: string }) =>
  a.created_at > b.created_at || (a.created_at === b.created_at && a.id > b.id)
