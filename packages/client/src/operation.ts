/** The two HTTP surfaces of the service: A annotates, B keeps projects and transcripts. */
export type Surface = 'annotation' | 'workspace'

/**
 * What repeating an operation means: `read` changes nothing, `compute` stores nothing but may be billed, `write` stores
 * and can be looked up, `batch` is declared and not implemented, `legacy` stores and cannot be looked up.
 */
export type RetryClass = 'read' | 'compute' | 'write' | 'batch' | 'legacy'

/** One endpoint, as far as sending it, repeating it and reading its answer are concerned. */
export interface Operation {
  /** The verb's name, as in `projects.create`; also the spec's operationId. */
  id: string
  surface: Surface
  method: 'GET' | 'POST'
  /** Follows the base URL of the surface; ids stand in braces. */
  path: string
  retryClass: RetryClass
  /** Whether the operation needs a key, takes one where there is one, or never sends one. */
  key: 'required' | 'optional' | 'none'
  /** Whether a success body is the one that the interface declares, as far as the client relies on it. */
  isSuccessBody: (body: unknown) => boolean
}
