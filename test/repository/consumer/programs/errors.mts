import {
  AmbiguousWriteError,
  ConnectionError,
  type ErrorKind,
  InputError,
  isServiceError,
  ServiceError,
  type ServiceErrorOf,
  SvcError,
} from '@svc/client'
import { same } from './same.mjs'

/** Every kind has its own next step; a new kind must not compile here. */
export function byKind(kind: ErrorKind): string {
  switch (kind) {
    case 'authentication':
    case 'permission':
      return 'key'
    case 'not_found':
    case 'invalid_request':
    case 'too_large':
    case 'not_implemented':
      return 'input'
    case 'rate_limited':
    case 'unavailable':
      return 'later'
    case 'unexpected':
      return 'look'
    default:
      same<typeof kind, never>(true)
      return kind
  }
}

export function ofUpload(error: ServiceErrorOf<'transcripts.upload'>): string {
  switch (error.status) {
    case 401:
    case 403:
      same<typeof error.body.error.message, string>(true)
      same<typeof error.body.error.code, 401 | 403>(true)
      // @ts-expect-error surface B has no detail
      error.body.detail
      return 'access'
    case 404:
      same<typeof error.body.error.type, 'not_found_error'>(true)
      return 'input'
    case 400:
    case 413:
      same<typeof error.body.error.type, 'invalid_request_error'>(true)
      return 'input'
    case 429:
      return 'later'
    default:
      same<typeof error, never>(true)
      return error
  }
}

export function ofAnnotation(error: unknown): string {
  if (isServiceError(error, 'annotations.create')) {
    switch (error.status) {
      case 401:
      case 403:
      case 404:
      case 422:
      case 429:
      case 502:
      case 503:
        same<typeof error.body, { error: string; detail: string }>(true)
        return error.kind
      default:
        same<typeof error, never>(true)
        return error
    }
  }
  // @ts-expect-error no such operation
  return isServiceError(error, 'annotations.destroy') ? 'never' : byClass(error)
}

export function byClass(error: unknown): string {
  if (error instanceof InputError) {
    same<(typeof error.violations)[number]['pointer'], string>(true)
    // @ts-expect-error no such reason
    return error.reason === 'mood' ? '' : error.reason
  }
  if (error instanceof ServiceError) {
    same<typeof error.status, number>(true)
    same<typeof error.retryAt, Date | undefined>(true)
    same<typeof error.body, unknown>(true)
    return byKind(error.kind)
  }
  if (error instanceof ConnectionError) {
    same<typeof error.timedOut, boolean>(true)
    return error.phase
  }
  if (error instanceof AmbiguousWriteError) {
    same<typeof error.candidates, readonly string[]>(true)
    return error.candidates.join()
  }
  if (error instanceof SvcError) {
    same<typeof error.requestId, string | undefined>(true)
    return error.operation
  }
  same<typeof error, unknown>(true)
  return 'not ours'
}
