import type { operations as AnnotationOperations } from './generated/annotation.js'
import type { operations as WorkspaceOperations } from './generated/workspace.js'

export type Operations = AnnotationOperations & WorkspaceOperations
export type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never

/** The two HTTP surfaces of the service: A (annotation) and B (workspace). */
export type Surface = 'annotation' | 'workspace'

/**
 * The effect of an operation, which decides its retries: `read` changes nothing, `compute` stores nothing but may be
 * billed, `write` stores and can be searched for, `legacy` stores and cannot, `batch` is not implemented.
 */
export type RetryClass = 'read' | 'compute' | 'write' | 'batch' | 'legacy'

export interface Operation {
  /** The method's name and the spec's operationId, as in `projects.create`. */
  id: string
  surface: Surface
  method: string
  /** Relative to the surface's base URL, with ids in braces. */
  path: string
  retryClass: RetryClass
  key: 'required' | 'optional' | 'none'
  /** Time-out of one attempt, if the caller gives none. Default 60 000. */
  timeoutMs?: number
  /** An error answer is a result of the call. Default false. */
  returnsErrors?: boolean
  /** Checks the fields of a success body that the client relies on. */
  isSuccessBody: (body: unknown) => boolean
}
