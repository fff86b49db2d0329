import type { Surface } from '../operation.js'

/**
 * What a refusal means to the caller, from the status first, from the body second (interface: Errors): `authentication`
 * 401, `permission` 403, `not_found` 404, `invalid_request` 400 and 422, `too_large` 413, `rate_limited` 429,
 * `not_implemented` 501, `unavailable` 408 and other 5xx, `unexpected` a redirect, a success that is not the declared
 * JSON, and any other 4xx whose body names no known type.
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

/** One refused field (interface: Resources › ValidationError). */
export interface FieldError {
  /** `loc` as a path, as in `path.batch_id` or `body.transcript[3].content`; indices count from 0. */
  path: string
  /** What was wrong with it: `msg`. */
  message: string
}

/** One request that was made for a call. */
export interface Attempt {
  /**
   * Status of the answer, also of one that broke off; 0 where a browser hides a redirect. Absent when no answer came.
   */
  status?: number
  /** Why no whole answer came: the system's code, as in `ECONNREFUSED`, the error's name, or `time-out`. */
  cause?: string
  /** Duration in milliseconds, through the last byte that was read. */
  ms: number
  /** Whether the server can have acted on it: `no` when no connection stood, `yes` when a status came back. */
  sent: 'no' | 'maybe' | 'yes'
}

/** Where an error comes from. */
export interface ErrorContext {
  /** The verb, as in `transcripts.upload`. */
  operation: string
  surface: Surface
  method: string
  /** Without the text of a search. */
  url: string
  attempts: Attempt[]
  requestId?: string | undefined
  cause?: unknown
}

/**
 * The base of everything that this client throws; an abort by the caller passes through with its own reason. Holds no
 * key, and of a transcript no more than the service repeats in `detail` and `body`. `instanceof` holds across the ESM and
 * the CommonJS copy of this package.
 */
export class SvcError extends Error {
  override name = 'SvcError'
  /**
   * The verb, as in `transcripts.upload`; `createClient`, `options` or `wires.annotation` where no verb was at fault.
   */
  readonly operation: string
  /** The surface that was called; undefined on an InputError. */
  readonly surface: Surface | undefined
  /** HTTP method; undefined on an InputError. */
  readonly method: string | undefined
  /** The URL that was called, without the text of a search (`q`); undefined on an InputError. */
  readonly url: string | undefined
  /**
   * Every request that sent the call, first to last, without those that looked for a lost write; empty when none did.
   */
  readonly attempts: readonly Attempt[]
  /** The id under which the service, or what stands before it, knows the last request; undefined when it gave none. */
  readonly requestId: string | undefined

  constructor(message: string, context: Partial<ErrorContext> & { operation: string }) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause })
    this.operation = context.operation
    this.surface = context.surface
    this.method = context.method
    this.url = context.url
    this.attempts = context.attempts ?? []
    this.requestId = context.requestId
  }
}

/** One violated rule of an input. */
export interface Violation {
  /** JSON pointer (RFC 6901) into the input, as in `/turns/3/content`; empty for the input as a whole. */
  pointer: string
  /** What was expected and what came; of a text, its length, and of a misspelt role or domain, the word. */
  message: string
}

/** Refused before it was sent: fix the input. */
export class InputError extends SvcError {
  override name = 'InputError'
  /** What kind of input it was. */
  readonly reason: InputReason
  /**
   * Every violated rule of a body, all at once, or the first of a query; empty for options, headers, keys, URLs and
   * ids.
   */
  readonly violations: readonly Violation[]

  constructor(reason: InputReason, message: string, operation: string, violations: Violation[] = [], cause?: unknown) {
    super(message, { operation, cause })
    this.reason = reason
    this.violations = violations
  }
}

/**
 * What an InputError is about: a key that is not there, or that is none; a base URL, likewise; an id that is empty, `.`
 * or `..`; or `invalid_input`: a body, a query, a header or an option.
 */
export type InputReason =
  | 'missing_key'
  | 'invalid_key'
  | 'missing_base_url'
  | 'missing_package'
  | 'invalid_base_url'
  | 'invalid_id'
  | 'invalid_input'

/** What the service said when it answered no. */
export interface ServiceErrorInit {
  status: number
  kind: ErrorKind
  type?: string | undefined
  detail?: string | undefined
  fields: FieldError[]
  retryAfterMs?: number | undefined
  retryAt?: Date | undefined
  /** The parsed error body; not enumerable, because a body may repeat what was sent. */
  body: unknown
}

/**
 * The service answered, and the answer was no, or not what the interface declares: read `kind`. Also a call that a
 * closed gate kept back: kind `rate_limited`, status 429, no attempts (interface: Errors).
 */
export class ServiceError extends SvcError {
  override name = 'ServiceError'
  /** HTTP status; 0 where a browser hides a redirect. */
  readonly status: number
  /** What the refusal means, from the status first. */
  readonly kind: ErrorKind
  /** The service's own word for the error: `error.type` on surface B, `error` on surface A (interface: Errors). */
  readonly type: string | undefined
  /**
   * The service's own sentence: `detail` on surface A, `error.message` on surface B; of a page that a proxy sent, its
   * title. Cut at 500 UTF-16 units.
   */
  readonly detail: string | undefined
  /** The refused fields of an HTTPValidationError; empty otherwise (interface: Resources › HTTPValidationError). */
  readonly fields: readonly FieldError[]
  /**
   * The wait that `Retry-After` asked for, in milliseconds; what is left of it at a closed gate (interface: Limits).
   */
  readonly retryAfterMs: number | undefined
  /** When that wait is over, by the client's clock. */
  readonly retryAt: Date | undefined
  /**
   * The parsed error body, or its text where it is no JSON; read up to 1 048 576 bytes. Not enumerable, because a body
   * may repeat what was sent.
   */
  declare readonly body: unknown

  constructor(message: string, context: ErrorContext, refusal: ServiceErrorInit) {
    super(message, context)
    this.status = refusal.status
    this.kind = refusal.kind
    this.type = refusal.type
    this.detail = refusal.detail
    this.fields = refusal.fields
    this.retryAfterMs = refusal.retryAfterMs
    this.retryAt = refusal.retryAt
    Object.defineProperty(this, 'body', { value: refusal.body })
  }
}

/**
 * Where in its life an attempt ended without a whole answer: `connecting`, so that nothing was sent; `waiting` for a
 * status; `reading` what follows it.
 */
export type Phase = 'connecting' | 'waiting' | 'reading'

/**
 * No whole answer, and nothing was stored (an annotation may have been billed): try later. `cause` is the transport's.
 */
export class ConnectionError extends SvcError {
  override name = 'ConnectionError'
  /** How far the last attempt had come. */
  readonly phase: Phase
  /** Whether `timeoutMs` or `deadlineMs` ended it. */
  readonly timedOut: boolean

  constructor(message: string, context: ErrorContext, phase: Phase, timedOut: boolean) {
    super(message, context)
    this.phase = phase
    this.timedOut = timedOut
  }
}

/**
 * What a write would have stored, by the field names of the stored record: `name`; of an upload `turn_count`,
 * `external_id` and `source_timestamp`, too; nothing of a legacy route
 * (interface: Resources › Project; Resources › Transcript).
 */
export type Fingerprint = Record<string, string | number | null>

/**
 * A write may or may not have been stored, and its fate could not be settled: look before sending it again. `cause` is
 * the ServiceError or ConnectionError of the answer that was lost.
 */
export class AmbiguousWriteError extends SvcError {
  override name = 'AmbiguousWriteError'
  /** What to look for. */
  readonly fingerprint: Fingerprint
  /** Ids of stored records that may be this write; empty when none was seen. */
  readonly candidates: readonly string[]

  constructor(message: string, context: ErrorContext, fingerprint: Fingerprint, candidates: string[] = []) {
    super(message, context)
    this.fingerprint = fingerprint
    this.candidates = candidates
  }
}

/**
 * `instanceof` goes by a mark and not by identity: an application may hold this package twice, as ESM and as CommonJS.
 * A subclass of the caller's own keeps the ordinary meaning.
 */
function marked(known: { prototype: object }, name: string): void {
  const mark = Symbol.for(`@svc/client/${name}`)
  Object.defineProperty(known.prototype, mark, { value: true })
  Object.defineProperty(known, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== known) return Function.prototype[Symbol.hasInstance].call(this as () => void, value)
      return typeof value === 'object' && value !== null && mark in value
    },
  })
}

marked(SvcError, 'SvcError')
marked(InputError, 'InputError')
marked(ServiceError, 'ServiceError')
marked(ConnectionError, 'ConnectionError')
marked(AmbiguousWriteError, 'AmbiguousWriteError')
