import type { KeyRecord } from '../auth.js'
import type { Turn } from '../types.js'
import type { AnnotationsRow, StoredProject, StoredTranscript, TranscriptRow } from './records.js'
import type { Change, Store, Table } from './store.js'

/** Brings the changes of a world to its store, if it has one. */
export class Keeper {
  readonly #store: Store | undefined
  /** Keys that were used since the last write. */
  #used = new Set<KeyRecord>()
  /** Where changes go while a world is planted anew. */
  #planted: Change[] | undefined

  constructor(store: Store | undefined) {
    this.#store = store
  }

  /** Whether changes go anywhere; where they do not, they need not be made up. */
  get keeps(): boolean {
    return this.#store !== undefined
  }

  /** A use of a key is written with the next change, or in the end. */
  use(key: KeyRecord): void {
    if (this.#store) this.#used.add(key)
  }

  /** What is done to a key on purpose is written instead of its last use. */
  forget(key: KeyRecord): void {
    this.#used.delete(key)
  }

  /** Throws when the changes cannot be kept; nothing of them is then in the store. */
  keep(changes: readonly Change[]): void {
    if (!this.#store) return
    if (this.#planted) return void this.#planted.push(...changes)
    const all = [...[...this.#used].map(keyRow), ...changes]
    if (all.length > 0) this.#store.write(all)
    this.#used.clear()
  }

  /**
   * All that the tables and the store hold makes way for what is planted; in the store it is one step. Where that throws,
   * both hold what they held.
   */
  replaceBy(tables: readonly Map<string, unknown>[], plant: () => void): void {
    const putBack = emptied(tables)
    this.#planted = []
    try {
      plant()
      this.#store?.replace(this.#planted)
      this.#used.clear()
    } catch (error) {
      putBack()
      throw error
    } finally {
      this.#planted = undefined
    }
  }

  close(): void {
    try {
      this.keep([])
    } finally {
      this.#store?.close()
    }
  }
}

/** Empties tables, and gives a function that makes them what they were. */
function emptied(tables: readonly Map<string, unknown>[]): () => void {
  const held = tables.map((table) => [...table])
  for (const table of tables) table.clear()
  return () => {
    for (const [i, table] of tables.entries()) {
      table.clear()
      for (const [id, record] of held[i] ?? []) table.set(id, record)
    }
  }
}

/** Everything in a world, as records in memory. */
export interface Records {
  keys: KeyRecord[]
  projects: StoredProject[]
  transcripts: StoredTranscript[]
}

export const keyRow = (key: KeyRecord): Change => ({ table: 'keys', id: key.key, value: key })

export const projectRow = (project: StoredProject): Change => ({
  table: 'projects',
  id: project.record.id,
  value: project,
})

export const annotationsRow = ({ record, annotations, model }: StoredTranscript): Change => ({
  table: 'annotations',
  id: record.id,
  value: { annotations, model },
})

/** A transcript is kept in parts, so that new annotations do not write its turns again. */
export function transcriptRows(transcript: StoredTranscript): Change[] {
  const { workspace, projectId, record, analysed, turns, annotations } = transcript
  const row: TranscriptRow = { workspace, projectId, record, analysed }
  const rows: Change[] = [
    { table: 'transcripts', id: record.id, value: row },
    { table: 'turns', id: record.id, value: turns },
  ]
  if (Object.keys(annotations).length > 0) rows.push(annotationsRow(transcript))
  return rows
}

/** Reads what a store holds. A transcript without its turns is an error: nothing is made up for it. */
export function readRows(rows: Iterable<Change>): Records {
  const kept: Record<Table, Map<string, unknown>> = {
    keys: new Map(),
    projects: new Map(),
    transcripts: new Map(),
    turns: new Map(),
    annotations: new Map(),
  }
  for (const { table, id, value } of rows) kept[table].set(id, value)
  const transcripts = [...kept.transcripts].map(([id, row]) => {
    const turns = kept.turns.get(id)
    if (!turns) throw new Error(`The store holds no turns of the transcript ${id}.`)
    const { annotations, model } = (kept.annotations.get(id) ?? { annotations: {} }) as AnnotationsRow
    return { ...(row as TranscriptRow), turns: turns as Turn[], annotations, model }
  })
  return {
    keys: [...kept.keys.values()] as KeyRecord[],
    projects: [...kept.projects.values()] as StoredProject[],
    transcripts,
  }
}
