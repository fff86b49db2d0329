import {
  type Annotation,
  type AnnotationRequest,
  type CallOptions,
  createFailureClassifier,
  type NextStep,
  nextStep,
  ServiceError,
  type SvcClient,
} from '@svc/client'
import { cut, firstLines, nearest } from '@svc/text'
import { faultsIn, type Usage } from '../annotation.js'
import { CheckError, type CheckErrorCode } from '../check-error.js'

/** An annotation request whose options are read again. */
export type AnnotationBody = AnnotationRequest & { options?: Record<string, unknown> | undefined }

/** The failure of a request. `stopped`: the run was stopped before it. */
export interface Failure {
  /** The error as it was thrown. */
  error: unknown
  /** The next step for a person. */
  step: NextStep | 'stopped'
}

export type AnnotationResult = { annotation: Annotation } | Failure

/** The part of the client that a check uses. */
export type AnnotatingClient = Pick<SvcClient, 'annotations' | 'annotators'>

/** Steps of failures that all other requests would share, or that a person should take first. */
const sharedSteps: readonly Failure['step'][] = ['fix_input', 'check_key', 'check_id', 'reconcile', 'stopped']

/** True for a failure that all other requests would share: no further request is sent. */
export const stopsRun = (answer: AnnotationResult): boolean => 'error' in answer && sharedSteps.includes(answer.step)

/** True for a reason that concerns no single transcript: an unusable base URL or certificate, no key, no such annotator. */
export const concernsRun = ({ step }: Failure): boolean =>
  step === 'fix_input' || step === 'check_key' || step === 'check_id'

const stepByCode: Partial<Record<CheckErrorCode, NextStep>> = {
  deadline_passed: 'try_later',
  malformed_answer: 'fix_request',
  all_refused: 'check_key',
  unknown_annotator: 'check_id',
}

/** The next step after an error of the client or of this package. */
export const stepOf = (error: unknown): NextStep =>
  error instanceof CheckError ? (stepByCode[error.code] ?? 'fix_input') : nextStep(error)

/** A 2xx answer that is not the requested annotation. */
export class MalformedAnnotation extends CheckError {
  /** The faults, each with its JSON pointer. */
  readonly faults: string
  /** Tokens in and out, as far as the answer gives them. */
  readonly tokens: TokenCount

  constructor(faults: readonly string[], answer: unknown, cause?: unknown) {
    const text = firstLines(faults).join('; ')
    super('malformed_answer', `The service sent a malformed answer: ${text}.`, {
      hint: 'check SVC_BASE_URL; `svc api POST /v1/annotations` shows the raw answer',
      cause,
    })
    this.faults = text
    this.tokens = tokensOf((answer as Partial<Annotation> | null)?.usage)
  }
}

/** Tokens in and out. */
export interface TokenCount {
  in: number
  out: number
}

/** The tokens of an answer. `estimate` stands for tokens in that are not shown; other missing numbers count as 0. */
export function tokensOf(usage: Partial<Usage> | null | undefined, estimate = 0): TokenCount {
  const counted = (n: number | null | undefined, otherwise: number) =>
    Number.isInteger(n) ? Math.max(0, n ?? 0) : otherwise
  return { in: counted(usage?.tokens_in, estimate), out: counted(usage?.tokens_out, 0) }
}

/** The tokens of a request: most tokenizers give one token for about four bytes of English. */
export const estimatedTokens = (body: AnnotationBody): number =>
  Math.ceil(new TextEncoder().encode(JSON.stringify(body.transcript)).length / 4)

/**
 * The only place where annotations are received, so that every caller gets a checked one. `call` gives the options of a
 * request, and throws if it is too late for one.
 */
export function annotateWith(client: AnnotatingClient) {
  const failures = createFailureClassifier()
  return async (body: AnnotationBody, call: () => CallOptions): Promise<AnnotationResult> => {
    try {
      const annotation = await client.annotations.create(body, call())
      const faults = faultsOf(annotation, body.annotator)
      if (faults.length > 0) throw new MalformedAnnotation(faults, annotation)
      failures.succeeded()
      return { annotation }
    } catch (cause) {
      const explainedError = await explainNotFound(asMalformed(cause, body.annotator), body.annotator, client)
      const { error, step, allRefused } = failures.failed(explainedError, stepOf(explainedError))
      if (allRefused === undefined) return { error, step }
      const { message } = error as Error
      return {
        error: new CheckError('all_refused', `The first ${allRefused} requests were refused: ${message}`, {
          cause: error,
        }),
        step,
      }
    }
  }
}

/** The faults of an answer of this annotator, each with its JSON pointer. */
export function faultsOf(answer: unknown, annotator: string): string[] {
  const faults = faultsIn(answer)
  const { annotator: answeredBy } = (answer ?? {}) as { annotator?: unknown }
  return typeof answeredBy === 'string' && answeredBy !== annotator
    ? [...faults, `/annotator expected "${annotator}", found "${cut(answeredBy, 80)}"`]
    : faults
}

/** The client refuses an answer that is not JSON or too long; its body shows which field is wrong. */
function asMalformed(error: unknown, annotator: string): unknown {
  if (!(error instanceof ServiceError) || error.status < 200 || error.status >= 300) return error
  // The client's error already says that the body is empty or too long.
  if (error.body === '') return error
  const faults = faultsOf(error.body, annotator)
  return faults.length > 0 ? new MalformedAnnotation(faults, error.body, error) : error
}

/** A 404 may have other causes, so the registry decides whether the annotator is missing. */
async function explainNotFound(error: unknown, annotator: string, client: AnnotatingClient): Promise<unknown> {
  if (stepOf(error) !== 'check_id') return error
  const annotators = await client.annotators.list().catch(() => undefined)
  const isMissing = annotators?.every(({ id }) => typeof id === 'string' && id !== annotator)
  return annotators && isMissing ? noAnnotator('unknown_annotator', annotator, annotators, { cause: error }) : error
}

/** `details` give the place where the annotator is named. */
export function noAnnotator(
  code: CheckErrorCode,
  annotator: string,
  annotators: readonly { id: string }[],
  more: { details?: readonly string[]; cause?: unknown } = {},
): CheckError {
  const ids = annotators.map(({ id }) => id)
  const meant = nearest(annotator, ids)
  return new CheckError(code, `There is no annotator "${annotator}".`, {
    hint: `${meant ? `did you mean ${meant}? ` : ''}the registry has ${ids.join(', ') || 'none'}`,
    ...more,
  })
}
