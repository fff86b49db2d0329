import type { KeyRecord } from '../auth.js'
import type { Clock } from '../clock.js'
import type { Transcript } from '../types.js'
import { type IdSource, isProjectId, unused } from './ids.js'
import { annotationsRow, Keeper, keyRow, projectRow, type Records, readRows, transcriptRows } from './keeper.js'
import {
  type Annotations,
  afterUpload,
  type ModelAnnotations,
  type NewKey,
  type NewProject,
  type NewTranscript,
  newKey,
  newProject,
  newTranscriptRecord,
  type StoredProject,
  type StoredTranscript,
} from './records.js'
import { readNewKey, referenceKey, type Seed, type SeedProject } from './seed.js'
import type { Store } from './store.js'

/** What a world is made with. */
export interface WorldOptions {
  clock: Clock
  ids: IdSource
  /** The workspace of whatever names none. */
  workspace: string
  /** Default: every job is submitted. An error that it throws counts as false, and goes to `onError`. */
  submit?: (transcript: Transcript) => boolean
  /** Where it is kept, beside memory; what it holds is read at once. Default: nowhere. */
  store?: Store
  onError?: (error: unknown) => void
}

/**
 * All state of one reference server: keys, projects, transcripts. Time, ids and the store are arguments. What the store
 * cannot keep is not in memory either.
 */
export class World {
  /** Submits the job of a transcript; false makes it `error` (interface: States and transitions). May be replaced. */
  submit: (transcript: Transcript) => boolean
  /** Told of each transcript whose job was submitted. */
  onSubmitted: (transcript: StoredTranscript) => void = () => {}
  readonly #clock: Clock
  readonly #ids: IdSource
  readonly #workspace: string
  readonly #keeper: Keeper
  readonly #onError: (error: unknown) => void
  readonly #keys = new Map<string, KeyRecord>()
  readonly #projects = new Map<string, StoredProject>()
  readonly #transcripts = new Map<string, StoredTranscript>()
  readonly #byWorkspace = new Map<string, NewestFirst<StoredProject>>()
  readonly #byProject = new Map<string, NewestFirst<StoredTranscript>>()

  constructor({ clock, ids, workspace, submit = () => true, store, onError = () => {} }: WorldOptions) {
    this.#clock = clock
    this.#ids = ids
    this.#workspace = workspace
    this.#keeper = new Keeper(store)
    this.submit = submit
    this.#onError = onError
    if (store) this.#fill(readRows(store.load()))
  }

  /** Whether nothing is in it. */
  get empty(): boolean {
    return this.#keys.size === 0 && this.#projects.size === 0
  }

  /**
   * Makes a key, or one in the place of the key of the same text, with full access unless it is restricted. Throws an Error
   * that names every field that is wrong.
   */
  createKey(given: NewKey = {}): KeyRecord {
    const options = readNewKey(given)
    const id = options.key ?? `sk-service-api03-${this.#ids().replaceAll('-', '')}`
    const key = newKey(id, options.workspace ?? this.#workspace, options)
    this.#keeper.keep([keyRow(key)])
    this.#keys.set(id, key)
    return key
  }

  /** The key of this text, also when it is revoked. */
  key(key: string): KeyRecord | undefined {
    return this.#keys.get(key)
  }

  /** Every key, in the order of their making. */
  keys(): Iterable<KeyRecord> {
    return this.#keys.values()
  }

  /** Revokes a key; `restore` takes it back. Throws an Error for an unknown one (interface: Authentication). */
  revoke(key: string): void {
    this.#setRevoked(key, true)
  }

  /** Takes a revocation back. Throws an Error for an unknown key. */
  restore(key: string): void {
    this.#setRevoked(key, false)
  }

  /** Deletes a key for good; with it a request gets 401. Throws an Error for an unknown one. */
  delete(key: string): void {
    this.#keeper.forget(this.#known(key))
    this.#keeper.keep([{ table: 'keys', id: key, value: null }])
    this.#keys.delete(key)
  }

  /** Notes that a key was used, by default just now. It reaches the store with the next write, or when the world is closed. */
  use(key: KeyRecord, at = this.#clock.now()): void {
    key.last_used_at = at
    this.#keeper.use(key)
  }

  /** Makes a project without a transcript. Throws an Error when its id is taken or not of the form `hp-<uuid>`. */
  createProject(options: NewProject): StoredProject {
    const id = unused(this.#projects, options.id ?? `hp-${this.#ids()}`)
    if (!isProjectId(id)) throw new Error(`The id ${id} of a project has not the form hp-<uuid>.`)
    const project = newProject(id, options.workspace ?? this.#workspace, this.#clock.now(), options)
    this.#keeper.keep([projectRow(project)])
    this.#addProject(project)
    return project
  }

  /** The project of this id, of any workspace. */
  project(id: string): StoredProject | undefined {
    return this.#projects.get(id)
  }

  /** The projects of a workspace (default: the first one), newest first. */
  projects(workspace = this.#workspace): readonly StoredProject[] {
    return this.#byWorkspace.get(workspace)?.items ?? []
  }

  /** Replaces what the single read of a project shows beside its record. */
  describe(project: StoredProject, extra: StoredProject['extra']): void {
    this.#keeper.keep([projectRow({ ...project, extra })])
    project.extra = extra
  }

  /** Stores a transcript in a project that exists, and moves the project's count and times. */
  createTranscript(project: StoredProject, upload: NewTranscript): StoredTranscript {
    const now = this.#clock.now()
    const id = unused(this.#transcripts, upload.id ?? `tr_${this.#ids()}`)
    const record = newTranscriptRecord(id, now, upload)
    if (upload.process !== false) record.processing_status = this.#isSubmitted(record) ? 'queued' : 'error'
    if (upload.processing_status) record.processing_status = upload.processing_status
    const { workspace } = project
    const { turns, annotations } = upload
    const analysed = record.processing_status === 'queued' && annotations === undefined
    const transcript: StoredTranscript = {
      workspace,
      projectId: project.record.id,
      record,
      turns,
      annotations: annotations ?? {},
      analysed,
      model: undefined,
    }
    const moved = afterUpload(project.record, record.created_at)
    if (this.#keeper.keeps)
      this.#keeper.keep([...transcriptRows(transcript), projectRow({ ...project, record: moved })])
    this.#addTranscript(transcript)
    project.record = moved
    if (analysed) this.onSubmitted(transcript)
    return transcript
  }

  /** The transcript of this id, of any workspace. */
  transcript(id: string): StoredTranscript | undefined {
    return this.#transcripts.get(id)
  }

  /** The transcripts of a project, newest first. */
  transcripts(projectId: string): readonly StoredTranscript[] {
    return this.#byProject.get(projectId)?.items ?? []
  }

  /** Every transcript, in the order of their making. */
  allTranscripts(): Iterable<StoredTranscript> {
    return this.#transcripts.values()
  }

  /** Adds annotations to a transcript, over those of the same key. */
  annotate(transcript: StoredTranscript, annotations: Annotations): void {
    this.#setAnnotations(transcript, { annotations: { ...transcript.annotations, ...annotations } })
  }

  /** Keeps what a model found in a transcript. */
  setModel(transcript: StoredTranscript, model: ModelAnnotations): void {
    this.#setAnnotations(transcript, { model })
  }

  /** Takes everything away, and plants what is there instead; in the store both are one step. All stays where it throws. */
  replaceAll(seedWorld: (world: World) => void): void {
    const tables = [this.#keys, this.#projects, this.#transcripts, this.#byWorkspace, this.#byProject]
    this.#keeper.replaceBy(tables, () => seedWorld(this))
  }

  /** Writes what is still to be written, and closes the store. */
  close(): void {
    this.#keeper.close()
  }

  #isSubmitted(record: Transcript): boolean {
    try {
      return this.submit(record)
    } catch (error) {
      this.#onError(error)
      return false
    }
  }

  #setRevoked(key: string, revoked: boolean): void {
    const record = this.#known(key)
    this.#keeper.keep([keyRow({ ...record, revoked })])
    record.revoked = revoked
  }

  #setAnnotations(transcript: StoredTranscript, change: Partial<StoredTranscript>): void {
    this.#keeper.keep([annotationsRow({ ...transcript, ...change })])
    Object.assign(transcript, change)
  }

  #fill({ keys, projects, transcripts }: Records): void {
    for (const key of keys) this.#keys.set(key.key, key)
    for (const project of projects) this.#addProject(project)
    for (const transcript of transcripts) this.#addTranscript(transcript)
  }

  #addProject(project: StoredProject): void {
    this.#projects.set(project.record.id, project)
    listOf(this.#byWorkspace, project.workspace).add(project)
  }

  #addTranscript(transcript: StoredTranscript): void {
    this.#transcripts.set(transcript.record.id, transcript)
    listOf(this.#byProject, transcript.projectId).add(transcript)
  }

  #known(key: string): KeyRecord {
    const record = this.#keys.get(key)
    if (!record) throw new Error('There is no such key in this world.')
    return record
  }
}

interface Made {
  readonly record: { readonly id: string; readonly created_at: string }
}

/**
 * Items newest first; of those made in the same millisecond the later id comes first. They are kept the other way round,
 * as the one that is added is nearly always the newest.
 */
class NewestFirst<T extends Made> {
  readonly #oldestFirst: T[] = []
  #view: readonly T[] | undefined

  add(item: T): void {
    const items = this.#oldestFirst
    let place = items.length
    for (let last = items[place - 1]; last && isBefore(last, item); last = items[place - 1]) place -= 1
    items.splice(place, 0, item)
    this.#view = undefined
  }

  /** The same array until something is added. */
  get items(): readonly T[] {
    this.#view ??= this.#oldestFirst.toReversed()
    return this.#view
  }
}

/** The list of a name, which is made where there is none. */
function listOf<T extends Made>(lists: Map<string, NewestFirst<T>>, name: string): NewestFirst<T> {
  const list = lists.get(name) ?? new NewestFirst<T>()
  lists.set(name, list)
  return list
}

/** Whether the one comes before the other in a list that is newest first. */
const isBefore = ({ record: a }: Made, { record: b }: Made) =>
  a.created_at > b.created_at || (a.created_at === b.created_at && a.id > b.id)

/** Puts a seed into a world. */
export function plant(world: World, { keys = [{ key: referenceKey }], projects = [] }: Seed): void {
  for (const key of keys) world.createKey(key)
  for (const project of projects) seedProject(world, project)
}

/** Puts a project with its transcripts into a world. */
export function seedProject(world: World, { transcripts = [], ...options }: SeedProject): StoredProject {
  const ids = transcripts.flatMap(({ id }) => id ?? [])
  const taken = ids.find((id, i) => world.transcript(id) || ids.indexOf(id) < i)
  if (taken !== undefined) throw new Error(`The id ${taken} is taken in this world.`)
  const project = world.createProject(options)
  for (const transcript of transcripts) world.createTranscript(project, transcript)
  return project
}
