import { InputError } from '../errors/index.js'
import { type Answer, answerOf } from '../http/index.js'
import type { Operation, Surface } from '../operation.js'
import type { CallOptions } from '../options.js'
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
  /**
   * `true` resolves to the `Response` as soon as its headers are there, with a body that is not read yet; for GET and HEAD
   * only. A status of 400 or more is retried and thrown as ever; `timeoutMs` ends with the headers, `maxResponseBytes` does
   * not apply, and `signal` also ends the body. Default false: the parsed body, or its text.
   */
  asResponse?: boolean | undefined
}

/** The signature of `svc.request`. */
export interface RequestMethod {
  /** Resolve to the response with its body unread. */
  (
    surface: Surface,
    method: string,
    path: string,
    content: RequestContent | undefined,
    options: RequestOptions & { asResponse: true },
  ): Answer<Response>
  /** Resolve to the parsed body, or to its text if it is not JSON. */
  (surface: Surface, method: string, path: string, content?: RequestContent, options?: RequestOptions): Answer<unknown>
}

export const requestMethod =
  (call: CallOperation): RequestMethod =>
  (
    surface: Surface,
    method: string,
    path: string,
    content: RequestContent = {},
    options?: RequestOptions,
  ): Answer<never> => {
    const id = 'request'
    const { throwOnError = true, asResponse = false, ...callOptions } = options ?? {}
    const isRead = /^(GET|HEAD)$/i.test(method)
    const refusal = refusalOf(id, surface, path) ?? (asResponse && !isRead ? rawWrite(id) : undefined)
    if (refusal) return answerOf(() => Promise.reject(refusal))
    const operation: Operation = {
      id,
      surface,
      method: method.toUpperCase(),
      path,
      key: 'optional',
      retryClass: isRead ? 'read' : 'legacy',
      isSuccessBody: () => true,
    }
    const extras = { returnsErrors: !throwOnError, isRaw: asResponse }
    return call(operation, content, options && callOptions, (answer) => answer, extras)
  }

const rawWrite = (id: string) =>
  new InputError('invalid_input', `${id}: asResponse is for GET and HEAD: the answer decides what was stored.`, id)

/** Refuses a path that could leave the base URL, or whose braces would be read as ids. */
function refusalOf(id: string, surface: Surface, path: string): InputError | undefined {
  const isSurface = surface === 'annotation' || surface === 'workspace'
  const isPath = /^\/(?!\/)[^\\\s?#{}]*$/.test(path) && !/\/(\.|%2e){1,2}(\/|$)/i.test(path)
  if (isSurface && isPath) return undefined
  const expected = isSurface
    ? 'a path such as /projects, without a query, and with special characters percent-encoded'
    : 'annotation or workspace as the surface'
  // A text that is no path may be a key in the wrong argument.
  const shown = isSurface && path.startsWith('/') ? `; got ${JSON.stringify(path)}` : ''
  return new InputError('invalid_input', `${id}: expected ${expected}${shown}.`, id)
}
