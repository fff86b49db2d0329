import type { Surface } from '../operation.js'

/**
 * The kind of a ServiceError, from the status first and the body second (interface: Errors): `authentication` 401,
 * `permission` 403, `not_found` 404, `invalid_request` 400 and 422, `too_large` 413, `rate_limited` 429,
 * `not_implemented` 501, `unavailable` 408, 499 and other 5xx, `unexpected` a redirect, a 2xx without the declared JSON, and
 * any other 4xx.
 */
export type ErrorKind =
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'invalid_request'
  | 'too_large'
  | 'rate_limited'
  | 'not_implemented'
  | 'unavailable'
  | 'unexpected'

/** One invalid field (interface: Resources › ValidationError). */
export interface FieldError {
  /** `loc` as a path with 0-based indices, as in `body.transcript[3].content`. */
  path: string
  /** `msg`. */
  message: string
}

/** One request of a call. */
export interface Attempt {
  /** HTTP status, also of a truncated answer; 0 if a browser hides a redirect. Absent without an answer. */
  status?: number
  /** Cause of a missing or truncated answer: a code such as `ECONNREFUSED`, the error's name, or `time-out`. */
  cause?: string
  /** Duration in milliseconds, through the last byte read. */
  ms: number
  /** Receipt by the server: `no` without a connection, `yes` with a status, else `maybe`. */
  sent: 'no' | 'maybe' | 'yes'
}

export interface ErrorContext {
  operation: string
  surface: Surface
  method: string
  /** Without the search text. */
  url: string
  attempts: readonly Attempt[]
  requestId?: string | undefined
  /** Of the last answer. */
  headers?: Iterable<[string, string]> | undefined
  cause?: unknown
  /** The request is an upload with a stamp that the client added. */
  isStamped?: boolean | undefined
}

/**
 * The base class of this client's errors; only an abort rejects with the caller's reason. Contains no key, and transcript
 * text only if the service repeats it in `detail` or `body`. `instanceof` works across ESM and CommonJS copies.
 */
export class SvcError extends Error {
  override name = 'SvcError'
  /** The method, as in `transcripts.upload`; otherwise `createClient`, `options`, `openapi.annotation` and the like. */
  declare readonly operation: string
  /** Undefined on an InputError, and for an incomplete list. */
  declare readonly surface: Surface | undefined
  /** HTTP method; undefined on an InputError, and for an incomplete list. */
  declare readonly method: string | undefined
  /** URL without the search text (`q`); undefined on an InputError, and for an incomplete list. */
  declare readonly url: string | undefined
  /** All attempts in order, without the queries of reconciliation. */
  declare readonly attempts: readonly Attempt[]
  /** The request id, from the service or its proxy; undefined if it gave none. */
  declare readonly requestId: string | undefined
  /** HTTP status of the last attempt, also of a truncated answer; undefined if it had no answer. */
  declare readonly status: number | undefined
  readonly #headers: Iterable<[string, string]> | undefined

  constructor(message: string, context: Partial<ErrorContext> & { operation: string }) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause })
    const { operation, surface, method, url, attempts = [], requestId, headers } = context
    Object.assign(this, { operation, surface, method, url, attempts, requestId, status: attempts.at(-1)?.status })
    this.#headers = headers
  }

  /** Headers of the last attempt's answer; undefined without a complete answer. Never printed with the error. */
  get headers(): Headers | undefined {
    return this.#headers && new Headers([...this.#headers])
  }
}

/**
 * The kind of a violation: `missing`, of a `wrong_type`, an `unknown_value` of an enum, `malformed` (a time, a filter),
 * `too_short` or `too_long` in characters, `too_few` or `too_many` items, `too_large` in bytes, or `not_json`: JSON cannot
 * represent the value, or the text is no JSON.
 */
export type ViolationCode =
  | 'missing'
  | 'wrong_type'
  | 'unknown_value'
  | 'malformed'
  | 'too_short'
  | 'too_long'
  | 'too_few'
  | 'too_many'
  | 'too_large'
  | 'not_json'

/** One violated rule of an input. */
export interface Violation {
  /** JSON pointer (RFC 6901) into the input, as in `/turns/3/content`; empty for the input as a whole. */
  pointer: string
  /** The expected and the actual value; text is shown as its length, except for a misspelt role or domain. */
  message: string
  /** The kind of the violation. */
  code: ViolationCode
  /** The bound of a value that is too short, long, few, many or large: one of `limits`. */
  limit?: number
  /** The size that violates the bound. Absent for a text that is far too long to be counted. */
  actual?: number
}

/** An invalid input; nothing was sent. Next step: fix the input. */
export class InputError extends SvcError {
  override name = 'InputError'
  /** The part of the input that is invalid. */
  declare readonly reason: InputReason
  /** All violated rules of a body, or the first of a query; otherwise empty. */
  declare readonly violations: readonly Violation[]
  /** The problem with a base URL or a transport, without the advice that the message adds; otherwise undefined. */
  declare readonly problem: string | undefined
  /** The id of the stored transcript that has the same id of `once`, for the reason `id_reused`. Absent on any other error. */
  declare readonly storedId?: string

  constructor(
    reason: InputReason,
    message: string,
    operation: string,
    violations: Violation[] = [],
    cause?: unknown,
    problem?: string,
  ) {
    super(message, { operation, cause })
    Object.assign(this, { reason, violations, problem })
  }
}

/** The error of an operation's input, whose message begins with the operation; `invalid_input` if no reason is given. */
export const inputError = (
  operation: string,
  problem: string,
  reason: InputReason = 'invalid_input',
  cause?: unknown,
): InputError => new InputError(reason, `${operation}: ${problem}.`, operation, [], cause)

/** The error of a base URL or a transport: `advice` names options of this package, which a command has no use for. */
export function connectionInputError(
  reason: InputReason,
  operation: string,
  problem: string,
  advice?: string,
  cause?: unknown,
): InputError {
  const message = `${operation}: ${problem}${advice ? `; ${advice}` : ''}.`
  return new InputError(reason, message, operation, [], cause, `${problem}.`)
}

/**
 * The reason of an InputError: a missing or malformed key or base URL, a missing optional package, an id that is empty,
 * `.` or `..`, an id of `once` that was used for other content, or `invalid_input` for a body, query, header or option.
 */
export type InputReason =
  | 'missing_key'
  | 'invalid_key'
  | 'missing_base_url'
  | 'missing_package'
  | 'invalid_base_url'
  | 'invalid_id'
  | 'id_reused'
  | 'invalid_input'

/**
 * Why items of a list are missing, or may be: `moved`, they moved from page to page while the list was read, so that reading
 * it again helps; `short`, the service gives fewer items than it counts, repeats a full page, or refuses to read on.
 */
export type Incomplete = 'moved' | 'short'

/** The counts and items of a list that the service did not give whole. */
export interface IncompleteList {
  incomplete: Incomplete
  seen: number
  total: number | undefined
  /** The items, if they were collected. */
  items: readonly unknown[] | undefined
}

/**
 * An error answer, or one that the interface does not declare. Next step: read `kind`. A call that the rate limiter held
 * back has kind `rate_limited`, status 429 and no attempts. A list that the service did not give whole has kind
 * `unexpected`, `incomplete` and no attempts (interface: Errors).
 */
export class ServiceError extends SvcError {
  override name = 'ServiceError'
  /** HTTP status; 0 if a browser hides a redirect. */
  declare readonly status: number
  /** The meaning of the error, for a `switch`. */
  declare readonly kind: ErrorKind
  /** The service's error type: `error` on surface A, `error.type` on surface B (interface: Errors). */
  declare readonly type: string | undefined
  /**
   * `detail` on surface A, `error.message` on surface B, the reason in the JSON of a gateway, the title or first line of a
   * proxy's page; at most 500 UTF-16 units.
   */
  declare readonly detail: string | undefined
  /** The fields of an HTTPValidationError, else empty (interface: Resources › HTTPValidationError). */
  declare readonly fields: readonly FieldError[]
  /** `Retry-After` in milliseconds; the rest of it if the rate limiter held the call back (interface: Limits). */
  declare readonly retryAfterMs: number | undefined
  /** When the wait of `retryAfterMs` ends, by the client's clock. */
  declare readonly retryAt: Date | undefined
  /** Why a list is incomplete. Absent on any other error. */
  declare readonly incomplete?: Incomplete
  /** The number of items of an incomplete list that were read. Absent on any other error. */
  declare readonly seen?: number
  /** The number of items that the service counts in an incomplete list. Absent on any other error. */
  declare readonly total?: number | undefined
  readonly #body: unknown
  readonly #items: readonly unknown[] | undefined

  constructor(
    message: string,
    context: Partial<ErrorContext> & { operation: string },
    refusal: Pick<ServiceError, 'status' | 'kind'> &
      Partial<Pick<ServiceError, 'type' | 'detail' | 'fields' | 'body' | 'retryAfterMs' | 'retryAt'>>,
    list?: IncompleteList,
  ) {
    super(message, context)
    const { body, ...shown } = refusal
    const { items, ...counts } = list ?? {}
    Object.assign(this, { type: undefined, detail: undefined, fields: [] }, shown, counts)
    this.#body = body
    this.#items = items
  }

  /** The items of an incomplete list that `toArray` has collected. Never printed with the error. */
  get items(): readonly unknown[] | undefined {
    return this.#items
  }

  /**
   * The parsed body, or its text if it is not JSON, up to 1 048 576 bytes. Never printed with the error: it may repeat the
   * request.
   */
  get body(): unknown {
    return this.#body
  }
}

/** The phase in which an attempt failed: `connecting` (nothing was sent), `waiting` for the status, `reading` the body. */
export type Phase = 'connecting' | 'waiting' | 'reading'

/**
 * No complete answer, and nothing was stored; an annotation may have been billed. Next step: try later. `cause` is the
 * transport's error, reduced to fields that hold no key and no text: name, code, system call, address and port.
 */
export class ConnectionError extends SvcError {
  override name = 'ConnectionError'
  /** The phase of the last attempt. */
  declare readonly phase: Phase
  /** True if `timeoutMs` or `deadlineMs` passed. */
  declare readonly timedOut: boolean

  constructor(message: string, context: ErrorContext, phase: Phase, timedOut: boolean) {
    super(message, context)
    Object.assign(this, { phase, timedOut })
  }
}

/**
 * Fields of the record that a write creates: `name`; for an upload also `turn_count`, `external_id` and
 * `source_timestamp`; empty for a legacy route (interface: Resources › Project; Resources › Transcript).
 */
export type Fingerprint = Record<string, string | number | null>

/**
 * A write that may or may not be stored, and that could not be reconciled. Next step: search for it before sending it
 * again. `cause` is the ServiceError or ConnectionError of the last attempt.
 */
export class AmbiguousWriteError extends SvcError {
  override name = 'AmbiguousWriteError'
  /** Fields to search for. */
  declare readonly fingerprint: Fingerprint
  /** Ids of stored records that may be this write, at most 100. */
  declare readonly candidates: readonly string[]

  constructor(message: string, context: ErrorContext, fingerprint: Fingerprint, candidates: string[] = []) {
    super(message, context)
    Object.assign(this, { fingerprint, candidates })
  }
}

/**
 * Makes `instanceof` compare a symbol instead of the class, because an application may load this package as ESM and as
 * CommonJS. A subclass keeps the ordinary `instanceof`.
 */
function markClass(errorClass: { prototype: object }, name: string): void {
  const mark = Symbol.for(`@svc/client/${name}`)
  Object.defineProperty(errorClass.prototype, mark, { value: true })
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== errorClass) return Function.prototype[Symbol.hasInstance].call(this as () => void, value)
      return mark in Object(value)
    },
  })
}

const classes = { SvcError, InputError, ServiceError, ConnectionError, AmbiguousWriteError }
for (const [name, errorClass] of Object.entries(classes)) markClass(errorClass, name)
