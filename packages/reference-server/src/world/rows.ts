import type { KeyRecord } from '../auth.js'
import type { Turn } from '../types.js'
import type { StoredProject, StoredTranscript } from './records.js'
import type { Change, Table } from './store.js'

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
