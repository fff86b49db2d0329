import type { KeyRecord } from '../auth.js'
import type { Turn } from '../types.js'
import type { StoredProject, StoredTranscript } from './records.js'
/** The kinds of records; a transcript is stored in three of them. */
export const tables = ['keys', 'projects', 'transcripts', 'turns', 'annotations'] as const

export type Table = (typeof tables)[number]

/** One stored record of a world. */
export interface Change {
  /** The kind of the record. */
  readonly table: Table
  /** Unique in its table: the key itself, or the id of the project or transcript. */
  readonly id: string
  /** Any JSON value; null deletes the record. */
  readonly value: unknown
}

/** The persistence of a world. A write is done when `write` returns: the response is sent after it. */
export interface Store {
  /** Every record; those of a table in the order in which their ids were first written. */
  load(): Iterable<Change>
  /** Write all changes or none. Throws if they cannot be written. */
  write(changes: readonly Change[]): void
  /** Delete everything and write these changes, in one step. */
  replace(changes: readonly Change[]): void
  /** Release its resources, such as its folder. A second call has no effect. Called by the server's `close`. */
  close(): void
}

/** The row of a transcript; its turns and annotations are rows of other tables. */
type TranscriptRow = Pick<StoredTranscript, 'workspace' | 'projectId' | 'record' | 'analysed'>
type AnnotationsRow = Pick<StoredTranscript, 'annotations' | 'model'>

export const keyRow = (key: KeyRecord): Change => ({ table: 'keys', id: key.key, value: key })

export const projectRow = (project: StoredProject): Change => ({
  table: 'projects',
  id: project.record.id,
  value: project,
})

export const annotationsRow = ({ record, annotations, model }: StoredTranscript): Change => ({
  table: 'annotations',
  id: record.id,
  value: { annotations, model } satisfies AnnotationsRow,
})

/** The rows of a transcript: new annotations do not write its turns again. */
export function transcriptRows(transcript: StoredTranscript): Change[] {
  const { workspace, projectId, record, analysed, turns, annotations } = transcript
  const { id } = record
  const row: TranscriptRow = { workspace, projectId, record, analysed }
  return [
    { table: 'transcripts', id, value: row },
    { table: 'turns', id, value: turns },
    ...(Object.keys(annotations).length > 0 ? [annotationsRow(transcript)] : []),
  ]
}

/** The records of a store. Throws an Error for a transcript without turns. */
export function readRows(rows: Iterable<Change>) {
  const tables: Record<Table, Map<string, unknown>> = {
    keys: new Map(),
    projects: new Map(),
    transcripts: new Map(),
    turns: new Map(),
    annotations: new Map(),
  }
  for (const { table, id, value } of rows) tables[table].set(id, value)
  return {
    keys: [...tables.keys.values()] as KeyRecord[],
    projects: [...tables.projects.values()] as StoredProject[],
    transcripts: [...tables.transcripts].map(([id, row]): StoredTranscript => {
      const turns = tables.turns.get(id) as Turn[] | undefined
      if (!turns) throw new Error(`The store has no turns of the transcript ${id}.`)
      const { annotations, model } = (tables.annotations.get(id) ?? { annotations: {} }) as AnnotationsRow
      return { ...(row as TranscriptRow), turns, annotations, model }
    }),
  }
}
