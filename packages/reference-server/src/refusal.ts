import type { Surface, ValidationError } from './types.js'

/** An error response. The code that throws it knows neither the surface nor its envelope (interface: Errors). */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** The HTTP status. The error code in the body follows from it. */
  readonly status: number
  /** Headers of the response, such as `retry-after` in seconds. Default: none. */
  readonly headers: Readonly<Record<string, string>>
  /** The `detail` of an HTTPValidationError, in place of the envelope (interface: Resources › HTTPValidationError). */
  readonly validation: ValidationError[] | undefined

  constructor(status: number, message: string, options: Partial<Pick<Refusal, 'headers' | 'validation'>> = {}) {
    super(message)
    this.status = status
    this.headers = options.headers ?? {}
    this.validation = options.validation
  }
}

/** The body of a refusal: `{error, detail}` on the annotation surface, `{error: {message, type, code}}` on the other. */
export function envelope(surface: Surface, { status, message, validation }: Refusal): unknown {
  if (validation) return { detail: validation }
  if (surface === 'annotation') return { error: annotationErrors[status] ?? 'error', detail: message }
  const type = workspaceTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  return { error: { message, type, code: status } }
}

const annotationErrors: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'too_large',
  417: 'expectation_failed',
  422: 'unprocessable',
  429: 'rate_limited',
  431: 'headers_too_large',
  500: 'internal_error',
  501: 'not_implemented',
  502: 'bad_gateway',
  503: 'unavailable',
}

const workspaceTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'authorization_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
}
