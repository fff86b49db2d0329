import { isObject } from '../json.js'
import type { Operation } from '../operation.js'
import type { OperationId } from '../types.js'

const isText = (value: unknown): value is string => typeof value === 'string'
/** Surface B's envelope of one record, with a usable id. */
const isRecord = (body: unknown) => isObject(body) && isObject(body.data) && isText(body.data.id) && body.data.id !== ''
/** Surface B's envelope of a page. */
const isPage = (body: unknown) => isObject(body) && Array.isArray(body.data) && body.data.every(isObject)

const a = { surface: 'annotation', key: 'required' } as const
const b = { surface: 'workspace', key: 'required' } as const
// The interface does not show the success body of a batch.
const batch = { ...a, retryClass: 'batch', isSuccessBody: isObject } as const
const read = { ...b, method: 'GET', retryClass: 'read' } as const
const write = { ...b, method: 'POST', retryClass: 'write', isSuccessBody: isRecord } as const
const legacy = { ...write, retryClass: 'legacy' } as const

/** The operations of both surfaces. */
export const operations: Readonly<Record<OperationId, Omit<Operation, 'id'>>> = {
  health: {
    ...a,
    method: 'GET',
    path: '/health',
    retryClass: 'read',
    key: 'none',
    isSuccessBody: (body) => isObject(body) && isText(body.status),
  },
  'annotations.create': {
    ...a,
    method: 'POST',
    path: '/v1/annotations',
    retryClass: 'compute',
    isSuccessBody: (body) => isObject(body) && isText(body.outcome) && isObject(body.signals),
  },
  'annotators.list': {
    ...a,
    method: 'GET',
    path: '/v1/annotators',
    retryClass: 'read',
    key: 'optional',
    isSuccessBody: (body) => isObject(body) && Array.isArray(body.annotators) && body.annotators.every(isObject),
  },
  'batches.create': { ...batch, method: 'POST', path: '/v1/batches' },
  'batches.get': { ...batch, method: 'GET', path: '/v1/batches/{batch_id}' },
  'projects.create': { ...write, path: '/projects' },
  'projects.list': { ...read, path: '/projects', isSuccessBody: isPage },
  'projects.get': { ...read, path: '/projects/{projectId}', isSuccessBody: isRecord },
  'transcripts.upload': { ...write, path: '/projects/{projectId}/transcripts' },
  'transcripts.list': { ...read, path: '/projects/{projectId}/transcripts', isSuccessBody: isPage },
  'transcripts.get': { ...read, path: '/transcripts/{transcriptId}', isSuccessBody: isRecord },
  'legacy.createSession': { ...legacy, path: '/halfpipe/sessions' },
  'legacy.createTranscript': { ...legacy, path: '/halfpipe/transcripts' },
}
