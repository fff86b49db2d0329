import type { ErrorKind, FieldError } from './error-body.js'
import type { Surface } from './operation.js'

/** One request that was made for a call. `sent` says whether the server can have acted on it. */
export interface Attempt {
  status?: number
  /** Why no answer came, as in `ECONNREFUSED`. */
  cause?: string
  /** Duration in milliseconds. */
  ms: number
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

/** The base of everything that this client throws; an abort by the caller passes through with its own reason. */
export class SvcError extends Error {
  override name = 'SvcError'
  readonly operation: string
  readonly surface: Surface | undefined
  readonly method: string | undefined
  readonly url: string | undefined
  readonly attempts: readonly Attempt[]
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

/** One violated rule of an input: a JSON pointer into it, and what was expected and found. */
export interface Violation {
  pointer: string
  message: string
}

/** Refused before any I/O: fix the input. All violations are listed at once. */
export class InputError extends SvcError {
  override name = 'InputError'
  readonly reason: InputReason
  readonly violations: readonly Violation[]

  constructor(reason: InputReason, message: string, operation: string, violations: Violation[] = [], cause?: unknown) {
    super(message, { operation, cause })
    this.reason = reason
    this.violations = violations
  }
}

export type InputReason =
  | 'missing_key'
  | 'invalid_key'
  | 'missing_base_url'
  | 'invalid_base_url'
  | 'invalid_id'
  | 'invalid_input'

/** What the service said when it answered no. */
export interface Refusal {
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

/** The service answered, and the answer was no, or not what the interface declares. Read `kind`. */
export class ServiceError extends SvcError {
  override name = 'ServiceError'
  readonly status: number
  readonly kind: ErrorKind
  /** The service's own word for the error: `error.type` on surface B, `error` on surface A. */
  readonly type: string | undefined
  readonly detail: string | undefined
  readonly fields: readonly FieldError[]
  /** The wait that `Retry-After` asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined
  readonly retryAt: Date | undefined
  declare readonly body: unknown

  constructor(message: string, context: ErrorContext, refusal: Refusal) {
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

/** Where in its life an attempt ended without an answer. */
export type Phase = 'connecting' | 'waiting' | 'reading'

/** No answer, and nothing was stored (an annotation may have been billed): try later. */
export class ConnectionError extends SvcError {
  override name = 'ConnectionError'
  readonly phase: Phase
  readonly timedOut: boolean

  constructor(message: string, context: ErrorContext, phase: Phase, timedOut: boolean) {
    super(message, context)
    this.phase = phase
    this.timedOut = timedOut
  }
}

/** What a write would have stored, as far as a stored record can be compared with it. */
export type Fingerprint = Record<string, string | number | null>

/** A write may or may not have happened, and its fate could not be settled: look before sending it again. */
export class AmbiguousWriteError extends SvcError {
  override name = 'AmbiguousWriteError'
  readonly fingerprint: Fingerprint
  /** Ids of stored records that may be this write. */
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
