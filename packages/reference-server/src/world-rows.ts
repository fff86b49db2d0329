import type { KeyRecord } from './guard.js'
import type { AnnotationsRow, StoredProject, StoredTranscript, TranscriptRow } from './records.js'
import type { Change, Table } from './store.js'
import type { Turn } from './types.js'

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
