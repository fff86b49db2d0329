import type { Ask } from '../service.js'
import { unknownProject, unknownTranscript } from '../service.js'
import { annotationOf, onA, onB, upload } from '../trial.js'

/** One operation of the interface, and a valid request of it. */
export interface Operation {
  name: string
  request(project?: string, transcript?: string): Ask
  needs?: 'projects-read' | 'projects-write'
  isLegacy?: true
}

/** The operations of the annotation surface that need a key. `GET /v1/annotators` is an ambiguity. */
export const annotationOperations: readonly Operation[] = [
  { name: 'POST /v1/annotations', request: () => onA('/v1/annotations', { body: annotationOf('nobody') }) },
  { name: 'POST /v1/batches', request: () => onA('/v1/batches', { body: {} }) },
  { name: 'GET /v1/batches/{batch_id}', request: () => onA('/v1/batches/b1') },
]

const read = { needs: 'projects-read' } as const
const write = { needs: 'projects-write' } as const

export const workspaceOperations: readonly Operation[] = [
  { ...write, name: 'POST /projects', request: () => onB('/projects', { body: { name: 'svc contract, one rule' } }) },
  { ...read, name: 'GET /projects', request: () => onB('/projects') },
  { ...read, name: 'GET /projects/{projectId}', request: (project = unknownProject) => onB(`/projects/${project}`) },
  {
    ...write,
    name: 'POST /projects/{projectId}/transcripts',
    request: (project = unknownProject) => onB(`/projects/${project}/transcripts`, { body: upload() }),
  },
  {
    ...read,
    name: 'GET /projects/{projectId}/transcripts',
    request: (project = unknownProject) => onB(`/projects/${project}/transcripts`),
  },
  {
    ...read,
    name: 'GET /transcripts/{transcriptId}',
    request: (_, transcript = unknownTranscript) => onB(`/transcripts/${transcript}`),
  },
  {
    ...write,
    isLegacy: true,
    name: 'POST /halfpipe/sessions',
    request: () => onB('/halfpipe/sessions', { body: { name: 'svc contract, one rule' } }),
  },
  {
    ...write,
    isLegacy: true,
    name: 'POST /halfpipe/transcripts',
    request: (projectId = unknownProject) => onB('/halfpipe/transcripts', { body: upload({ projectId }) }),
  },
]
