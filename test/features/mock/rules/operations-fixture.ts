import { anAnnotation, anUpload, onA, onB, unknownProject, unknownTranscript } from './asking-fixture.js'
import type { Ask } from './rule.js'

/** The resources that a request names. */
export interface Ids {
  project: string
  transcript: string
}

/** Resources that are nowhere. */
export const noIds: Ids = { project: unknownProject, transcript: unknownTranscript }

/** One operation of the interface, and a request of it that is right in every respect. */
export interface Operation {
  name: string
  ask(ids: Ids): Ask
  /** The permission that a key needs, on the workspace surface. */
  needs?: 'projects-read' | 'projects-write'
  /** The status when all is well. */
  answers: number
}

const annotations = onA('/v1/annotations', { body: anAnnotation('structural') })

/** The operations of the annotation surface that need a key. */
export const operationsOfA: readonly Operation[] = [
  { name: 'POST /v1/annotations', ask: () => annotations, answers: 200 },
  { name: 'GET /v1/annotators', ask: () => onA('/v1/annotators'), answers: 200 },
  { name: 'POST /v1/batches', ask: () => onA('/v1/batches', { body: {} }), answers: 501 },
  { name: 'GET /v1/batches/{batch_id}', ask: () => onA('/v1/batches/b1'), answers: 501 },
]

const reads = { needs: 'projects-read', answers: 200 } as const
const writes = { needs: 'projects-write', answers: 201 } as const

/** The operations of the workspace surface. */
export const operationsOfB: readonly Operation[] = [
  { name: 'POST /projects', ask: () => onB('/projects', { body: { name: 'A project' } }), ...writes },
  { name: 'GET /projects', ask: () => onB('/projects'), ...reads },
  { name: 'GET /projects/{projectId}', ask: ({ project }) => onB(`/projects/${project}`), ...reads },
  {
    name: 'POST /projects/{projectId}/transcripts',
    ask: ({ project }) => onB(`/projects/${project}/transcripts`, { body: anUpload() }),
    ...writes,
  },
  {
    name: 'GET /projects/{projectId}/transcripts',
    ask: ({ project }) => onB(`/projects/${project}/transcripts`),
    ...reads,
  },
  { name: 'GET /transcripts/{transcriptId}', ask: ({ transcript }) => onB(`/transcripts/${transcript}`), ...reads },
  { name: 'POST /halfpipe/sessions', ask: () => onB('/halfpipe/sessions', { body: { name: 'A session' } }), ...writes },
  {
    name: 'POST /halfpipe/transcripts',
    ask: ({ project }) => onB('/halfpipe/transcripts', { body: anUpload({ projectId: project }) }),
    ...writes,
  },
]

/** Every operation that needs a key. */
export const operations: readonly Operation[] = [...operationsOfA, ...operationsOfB]
