import type { KeyRecord } from '../auth.js'
import { type Clock, monotonicOf } from '../clock.js'
import type { Transcript } from '../types.js'
import { parseInstant, toIso } from '../validation/index.js'
import { type IdSource, isProjectId } from './ids.js'
import {
  type Annotations,
  type ModelAnnotations,
  type NewKey,
  type NewProject,
  type NewTranscript,
  newTranscriptRecord,
  type StoredProject,
  type StoredTranscript,
} from './records.js'
import { readNewKey, referenceKey, type SeedProject, type WorldSeed } from './seed.js'
import { annotationsRow, type Change, keyRow, projectRow, readRows, type Store, transcriptRows } from './store.js'

interface WorldOptions {
  clock: Clock
  /** How far the times of new records are ahead of the clock. */
  skewMs: () => number
  ids: IdSource
  /** The workspace of keys and projects that name none. */
  workspace: string
  submit: (transcript: Transcript) => boolean
  store?: Store
  onError: (error: unknown) => void
}

/** When a record was stored, by the clock. */
interface StorageTime {
  now: number
  monotonic: number
}

/** All state of one reference server: keys, projects, transcripts. A change that the store refuses is not made. */
export class World {
  /** Submit the job of a transcript; false makes it `error` (interface: States and transitions). May be replaced. */
  submit: (transcript: Transcript) => boolean
  /** True if the job of every upload fails, whatever `submit` says. Default false. */
  submitError = false
  /** Called with each transcript whose job was submitted. */
  onSubmitted: (transcript: StoredTranscript) => void = () => {}
  readonly #options: WorldOptions
  #tables = new Tables()
  /** Keys whose last use is not in the store yet. */
  readonly #usedKeys = new Set<KeyRecord>()
  /** The changes of `replaceAll`, which reach the store together. */
  #replacement: Change[] | undefined

  constructor(options: WorldOptions) {
    this.#options = options
    this.submit = options.submit
    const { keys, projects, transcripts } = readRows(options.store?.load() ?? [])
    for (const key of keys) this.#tables.keys.set(key.key, key)
    for (const project of projects) this.#tables.addProject(project)
    for (const transcript of transcripts) this.#tables.addTranscript(transcript)
  }

  /** True if it has no keys and no projects. */
  get empty(): boolean {
    return this.#tables.keys.size === 0 && this.#tables.projects.size === 0
  }

  /** The workspace of keys and projects that name none. */
  get defaultWorkspace(): string {
    return this.#options.workspace
  }

  /** Create a key, or replace the one with the same text. Throws an Error that names every invalid field. */
  createKey(options: NewKey = {}): KeyRecord {
    const { workspace = this.#options.workspace, permissions, surfaces, revoked = false, ...rest } = readNewKey(options)
    const { key = `sk-service-api03-${this.#options.ids().replaceAll('-', '')}`, name } = rest
    const record: KeyRecord = {
      key,
      ...(name !== undefined && { name }),
      workspace,
      permissions,
      surfaces,
      revoked,
      last_used_at: null,
    }
    this.#write([keyRow(record)])
    this.#tables.keys.set(key, record)
    return record
  }

  /** The record of a key, also of a revoked one. */
  key(key: string): KeyRecord | undefined {
    return this.#tables.keys.get(key)
  }

  /** Every key, in the order of creation. */
  keys(): Iterable<KeyRecord> {
    return this.#tables.keys.values()
  }

  /** Revoke a key; `restore` undoes it. Throws an Error for an unknown one (interface: Authentication). */
  revoke(key: string): void {
    this.#setRevoked(key, true)
  }

  /** Undo a revocation. Throws an Error for an unknown key. */
  restore(key: string): void {
    this.#setRevoked(key, false)
  }

  /** Delete a key for good; requests with it get a 401. Throws an Error for an unknown one. */
  delete(key: string): void {
    this.#usedKeys.delete(this.#knownKey(key))
    this.#write([{ table: 'keys', id: key, value: null }])
    this.#tables.keys.delete(key)
  }

  /** Record the use of a key, by default now. It reaches the store with the next write, or on `close`. */
  use(key: KeyRecord, at = this.#options.clock.now()): void {
    key.last_used_at = at
    if (this.#options.store) this.#usedKeys.add(key)
  }

  /** Create a project. Throws an Error if its id exists or does not have the form `hp-<uuid>`. */
  createProject(options: NewProject): StoredProject {
    const { id = `hp-${this.#options.ids()}`, name, domain = 'general', extra = {} } = options
    if (this.project(id)) throw new Error(`The id ${id} exists already.`)
    if (!isProjectId(id)) throw new Error(`The id ${id} of a project does not have the form hp-<uuid>.`)
    const created_at = isoOf(options.created_at) ?? this.#recordTime()
    const updated_at = isoOf(options.updated_at) ?? created_at
    const record = { id, name, transcript_count: 0, latest_transcript_at: null, created_at, updated_at }
    const project = { workspace: options.workspace ?? this.#options.workspace, domain, extra, record }
    this.#write([projectRow(project)])
    this.#tables.addProject(project)
    this.#noteStorage(project, options.ageMs ?? 0, options.ageMs !== undefined)
    return project
  }

  /** Set the `updated_at` of a project, in ISO 8601. */
  touch(project: StoredProject, updatedAt: string): void {
    const record = { ...project.record, updated_at: updatedAt }
    this.#write([projectRow({ ...project, record })])
    project.record = record
  }

  /** The project with an id, of any workspace. */
  project(id: string): StoredProject | undefined {
    return this.#tables.projects.get(id)
  }

  /** The projects of a workspace (default: the first one), newest first. */
  projects(workspace = this.#options.workspace): readonly StoredProject[] {
    return this.#tables.projectsOf.get(workspace) ?? []
  }

  /** Store a transcript in a project, and update the project's count and times. Throws an Error if its id exists. */
  createTranscript(project: StoredProject, upload: NewTranscript): StoredTranscript {
    const { id = `tr_${this.#options.ids()}`, turns, annotations } = upload
    if (this.transcript(id)) throw new Error(`The id ${id} exists already.`)
    const { ageMs = 0, model } = upload
    const record = newTranscriptRecord(id, isoOf(upload.created_at) ?? this.#recordTime(), upload)
    if (upload.process !== false) record.processing_status = this.#isSubmitted(record) ? 'queued' : 'error'
    if (upload.processing_status) record.processing_status = upload.processing_status
    const transcript: StoredTranscript = {
      workspace: project.workspace,
      projectId: project.record.id,
      record,
      turns,
      annotations: annotations ?? {},
      analysed: upload.analysed ?? (record.processing_status === 'queued' && annotations === undefined),
      model: model && { at: this.#options.clock.now() + model.inMs, annotations: model.annotations },
    }
    const projectRecord = {
      ...project.record,
      transcript_count: project.record.transcript_count + 1,
      latest_transcript_at: record.created_at,
      updated_at: record.created_at,
    }
    this.#write([...transcriptRows(transcript), projectRow({ ...project, record: projectRecord })])
    this.#tables.addTranscript(transcript)
    this.#noteStorage(transcript, ageMs, upload.lags === true)
    project.record = projectRecord
    if (transcript.analysed) this.onSubmitted(transcript)
    return transcript
  }

  /** The transcript with an id, of any workspace. */
  transcript(id: string): StoredTranscript | undefined {
    return this.#tables.transcripts.get(id)
  }

  /** The transcripts of a project, newest first. */
  transcripts(projectId: string): readonly StoredTranscript[] {
    return this.#tables.transcriptsOf.get(projectId) ?? []
  }

  /** A function that returns how many milliseconds ago a record was stored; Infinity if it was there at the start. */
  ages(): (stored: StoredProject | StoredTranscript) => number {
    const now = monotonicOf(this.#options.clock)
    const { storedAt } = this.#tables
    return ({ record }) => now - (storedAt.get(record.id)?.monotonic ?? Number.NEGATIVE_INFINITY)
  }

  /** The time of the clock at which a transcript was stored, in milliseconds since the epoch. */
  storedAt({ record }: StoredTranscript): number {
    return this.#tables.storedAt.get(record.id)?.now ?? Date.parse(record.created_at)
  }

  /** Every project, in the order of creation. */
  allProjects(): Iterable<StoredProject> {
    return this.#tables.projects.values()
  }

  /** Every transcript, in the order of creation. */
  allTranscripts(): Iterable<StoredTranscript> {
    return this.#tables.transcripts.values()
  }

  /** Add annotations to a transcript; they override equal keys. */
  annotate(transcript: StoredTranscript, annotations: Annotations): void {
    this.#setAnnotations(transcript, { annotations: { ...transcript.annotations, ...annotations } })
  }

  /** Store the result of a model for a transcript. */
  setModel(transcript: StoredTranscript, model: ModelAnnotations): void {
    this.#setAnnotations(transcript, { model })
  }

  /** Replace everything by the records that `fill` creates; in the store this is one step. Nothing changes if it throws. */
  replaceAll(fill: () => void): void {
    const previous = this.#tables
    this.#tables = new Tables()
    this.#replacement = []
    try {
      fill()
      this.#options.store?.replace(this.#replacement)
      this.#usedKeys.clear()
    } catch (error) {
      this.#tables = previous
      throw error
    } finally {
      this.#replacement = undefined
    }
  }

  /** Write the last uses of keys, and close the store. */
  close(): void {
    try {
      this.#write([])
    } finally {
      this.#options.store?.close()
    }
  }

  #recordTime(): string {
    return toIso(this.#options.clock.now() + this.#options.skewMs())
  }

  /** `lags`: a lag of lists counts from then also for a record of the start. */
  #noteStorage({ record }: StoredProject | StoredTranscript, ageMs: number, lags: boolean): void {
    const { clock } = this.#options
    const monotonic = this.#replacement && !lags ? Number.NEGATIVE_INFINITY : monotonicOf(clock) - ageMs
    this.#tables.storedAt.set(record.id, { now: clock.now() - ageMs, monotonic })
  }

  #isSubmitted(record: Transcript): boolean {
    try {
      return !this.submitError && this.submit(record)
    } catch (error) {
      this.#options.onError(error)
      return false
    }
  }

  #setRevoked(key: string, revoked: boolean): void {
    const record = this.#knownKey(key)
    this.#write([keyRow({ ...record, revoked })])
    record.revoked = revoked
  }

  #setAnnotations(transcript: StoredTranscript, change: Partial<StoredTranscript>): void {
    this.#write([annotationsRow({ ...transcript, ...change })])
    Object.assign(transcript, change)
  }

  #knownKey(key: string): KeyRecord {
    const record = this.key(key)
    if (!record) throw new Error('There is no such key in this world.')
    return record
  }

  /** Write changes to the store, after the last uses of keys. Called before the change in memory. */
  #write(changes: readonly Change[]): void {
    const { store } = this.#options
    if (!store) return
    if (this.#replacement) return void this.#replacement.push(...changes)
    const all = [...[...this.#usedKeys].map(keyRow), ...changes]
    if (all.length > 0) store.write(all)
    this.#usedKeys.clear()
  }
}

/** A time in ISO 8601 as records have it, in UTC. */
function isoOf(time: string | undefined): string | undefined {
  const instant = time === undefined ? undefined : parseInstant(time)
  return instant && toIso(instant.ms)
}

/** The records in memory. Lists are newest first. */
class Tables {
  readonly keys = new Map<string, KeyRecord>()
  readonly projects = new Map<string, StoredProject>()
  readonly transcripts = new Map<string, StoredTranscript>()
  readonly projectsOf = new Map<string, StoredProject[]>()
  readonly transcriptsOf = new Map<string, StoredTranscript[]>()
  /** By the id of the record; those of a store have none. */
  readonly storedAt = new Map<string, StorageTime>()

  addProject(project: StoredProject): void {
    this.projects.set(project.record.id, project)
    insert(this.projectsOf, project.workspace, project)
  }

  addTranscript(transcript: StoredTranscript): void {
    this.transcripts.set(transcript.record.id, transcript)
    insert(this.transcriptsOf, transcript.projectId, transcript)
  }
}

type Dated = { readonly record: { readonly id: string; readonly created_at: string } }

/** Insert an item into a list that is newest first; of equal times, the greater id is first. */
function insert<T extends Dated>(lists: Map<string, T[]>, name: string, item: T): void {
  const list = lists.get(name) ?? []
  lists.set(name, list)
  const index = list.findIndex((other) => !isNewer(other, item))
  list.splice(index < 0 ? list.length : index, 0, item)
}

const isNewer = ({ record: a }: Dated, { record: b }: Dated) =>
  a.created_at > b.created_at || (a.created_at === b.created_at && a.id > b.id)

export function seedWorld(world: World, { keys = [{ key: referenceKey }], projects = [] }: WorldSeed): void {
  for (const key of keys) world.createKey(key)
  for (const project of projects) seedProject(world, project)
}

/** Create a project with its transcripts, or nothing if an id exists. */
export function seedProject(world: World, { transcripts = [], ...options }: SeedProject): StoredProject {
  const ids = transcripts.flatMap(({ id }) => id ?? [])
  const duplicate = ids.find((id, i) => world.transcript(id) || ids.indexOf(id) < i)
  if (duplicate !== undefined) throw new Error(`The id ${duplicate} exists already.`)
  const project = world.createProject(options)
  for (const transcript of transcripts) world.createTranscript(project, transcript)
  const updatedAt = isoOf(options.updated_at)
  if (updatedAt !== undefined) world.touch(project, updatedAt)
  return project
}
