import type { ResponsePromise } from '../http/index.js'
import type { CallOptions } from '../options.js'
import type { Annotation, AnnotationRequest, AnnotatorInfo, Health } from '../types.js'
import type { Call } from './call.js'
import { type ManyOptions, type ManyResult, mapConcurrent } from './many.js'

/** The methods of `svc.annotations`: annotations of transcripts by a named annotator (interface: Endpoints › Surface A). */
export interface AnnotationMethods {
  /**
   * Annotate one transcript and wait for the result; `signals[key].turn` is a 1-indexed position in `transcript`.
   * Declares 401, 403, 404, 422, 429, 502, 503. Nothing is stored, but it may be billed: retried after 502 and 503,
   * once after a lost connection, never after a time-out, 500 or 504 (interface: Endpoints › POST /v1/annotations).
   */
  create(request: AnnotationRequest, options?: CallOptions): ResponsePromise<Annotation>

  /**
   * Annotate many transcripts, `concurrency` at a time, and iterate over the results as they come: each has the `index`
   * and `input`, and a `status` of `fulfilled` with the `value` or `rejected` with the `reason`. An annotation that
   * fails does not stop the others.
   *
   * @example
   * for await (const result of svc.annotations.createMany(requests))
   *   if (result.status === 'fulfilled') console.log(result.index, result.value.outcome)
   */
  createMany<Input extends AnnotationRequest>(
    requests: AsyncIterable<Input> | Iterable<Input>,
    options?: ManyOptions,
  ): AsyncGenerator<ManyResult<Input, Annotation>, void, undefined>
}

/** The methods of `svc.annotators`: the registry of annotators (interface: Endpoints › Surface A). */
export interface AnnotatorMethods {
  /**
   * List the available annotators. Sends the key if there is one: the list is described as public, but the service may
   * require a key. Declares 401, 403. Retries a lost answer (interface: Endpoints › GET /v1/annotators).
   */
  list(options?: CallOptions): ResponsePromise<AnnotatorInfo[]>
}

/** The methods of `svc.batches`, not implemented in version 1: a ServiceError of kind `not_implemented`, after one request. */
export interface BatchMethods {
  /**
   * Create a batch; answers 501 in version 1. Declares 401, 403, 501. Does not retry a lost answer
   * (interface: Endpoints › POST /v1/batches).
   */
  create(body?: unknown, options?: CallOptions): ResponsePromise<unknown>

  /**
   * Get a batch; answers 501 in version 1. Declares 401, 403, 422 (HTTPValidationError), 501. Does not retry a lost
   * answer (interface: Endpoints › GET /v1/batches/{batch_id}).
   */
  get(batchId: string, options?: CallOptions): ResponsePromise<unknown>
}

/** The methods of surface A. */
export interface AnnotationSurface {
  /**
   * Get liveness and serving substrate. Sends no key, is not rate limited, and retries a lost answer
   * (interface: Endpoints › GET /health).
   */
  health(options?: CallOptions): ResponsePromise<Health>
  /** Annotations of transcripts by a named annotator (interface: Endpoints › Surface A). */
  annotations: AnnotationMethods
  /** The registry of annotators (interface: Endpoints › Surface A). */
  annotators: AnnotatorMethods
  /** Not implemented in version 1: a ServiceError of kind `not_implemented`, after one request. */
  batches: BatchMethods
}

export function annotationSurface(call: Call): AnnotationSurface {
  const create: AnnotationMethods['create'] = (request, options) =>
    call('annotations.create', { body: request }, options, (body) => body)
  return {
    health: (options) => call('health', {}, options, (body) => body),
    annotations: {
      create,
      createMany: (requests, options) => mapConcurrent(requests, create, options, 'annotations.createMany'),
    },
    annotators: { list: (options) => call('annotators.list', {}, options, (body) => body.annotators) },
    batches: {
      create: (body, options) => call('batches.create', { body }, options, (answer) => answer),
      get: (batchId, options) => call('batches.get', { path: { batch_id: batchId } }, options, (answer) => answer),
    },
  }
}
