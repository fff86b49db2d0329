import { inputError } from '../errors/index.js'
import type { ResponsePromise } from '../http/index.js'
import type { Operation, Surface } from '../operation.js'
import { type CallOptions, refuseUnknown } from '../options.js'
import type { CallOperation } from './call.js'

/** The content of `svc.request`. */
export interface RequestContent {
  /** Query parameters: a `Date` is sent as ISO 8601, undefined is dropped. `URLSearchParams` may repeat a name. */
  query?: Record<string, string | number | boolean | Date | null | undefined> | URLSearchParams | undefined
  /** The body, sent as JSON. */
  body?: unknown
  /** The body, if it is already JSON; sent unchanged. */
  json?: string | undefined
}

/** Options of `svc.request`. */
export interface RequestOptions extends CallOptions {
  /**
   * `false` resolves with the body of an error answer, whose status `withResponse()` shows. A redirect still throws. Default
   * true: a ServiceError.
   */
  throwOnError?: boolean | undefined
}

export const requestMethod =
  (call: CallOperation) =>
  (
    surface: Surface,
    method: string,
    path: string,
    content: RequestContent = {},
    options?: RequestOptions,
  ): ResponsePromise<unknown> => {
    const id = 'request'
    const isRead = /^(GET|HEAD)$/i.test(method)
    const { throwOnError = true, ...callOptions } = options ?? {}
    const operation: Operation = {
      id,
      surface,
      method: String(method).toUpperCase(),
      path,
      key: 'optional',
      retryClass: isRead ? 'read' : 'legacy',
      isSuccessBody: () => true,
      returnsErrors: !throwOnError,
    }
    const input = () => {
      refuseOther(id, surface, path)
      refuseUnknown(id, content, { body: true, json: true, query: true })
      return content
    }
    return call(operation, input, options && callOptions, (answer) => answer)
  }

/** Refuses a path that could leave the base URL, or whose braces would be read as ids. */
function refuseOther(id: string, surface: Surface, path: string): void {
  const isSurface = surface === 'annotation' || surface === 'workspace'
  const isPath = /^\/(?!\/)[^\\\s?#{}]*$/.test(path) && !/\/(\.|%2e){1,2}(\/|$)/i.test(path)
  if (isSurface && isPath) return
  const expected = isSurface
    ? 'a path such as /projects, percent-encoded, without query'
    : 'annotation or workspace as the surface'
  // A text that is no path may be a key in the wrong argument.
  const shown = isSurface && path.startsWith('/') ? `; got ${JSON.stringify(path)}` : ''
  throw inputError(id, `expected ${expected}${shown}`)
}
