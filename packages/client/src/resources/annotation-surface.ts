import type { ResponsePromise } from '../http/index.js'
import type { CallOptions } from '../options.js'
import type { Annotation, AnnotationRequest, AnnotatorInfo, Health } from '../types.js'
import type { Call } from './call.js'
import { type ManyOptions, type ManyResult, settleMany } from './many.js'

/** An annotation may take minutes, and a shorter time-out would be billed for nothing. */
const annotationTimeoutMs = 240_000

/** The methods of surface A: health, annotations, annotators, batches. */
export function annotationMethods(call: Call) {
  const annotate = (request: AnnotationRequest, options?: CallOptions): ResponsePromise<Annotation> =>
    call('annotations.create', { body: request }, options, (body) => body, {
      timeoutMs: annotationTimeoutMs,
      check: (bytes, parts) => parts.validation?.checkAnnotation(request, bytes),
    })

  return {
    /**
     * Get liveness and serving substrate. Sends no key, is not rate limited, and retries a lost answer
     * (interface: Endpoints › GET /health).
     */
    health: (options?: CallOptions): ResponsePromise<Health> => call('health', {}, options, (body) => body),

    /** Annotations of transcripts by a named annotator (interface: Endpoints › Surface A). */
    annotations: {
      /**
       * Annotate one transcript and wait for the result; `signals[key].turn` is a 1-indexed position in `transcript`.
       * Declares 401, 403, 404, 422, 429, 502, 503. Nothing is stored, but it may be billed: retried after 502 and 503,
       * once after a lost connection, never after a time-out, 500 or 504 (interface: Endpoints › POST /v1/annotations).
       */
      create: annotate,

      /**
       * Annotate many transcripts, `concurrency` at a time, and iterate over the results as they come: each has the `index`
       * and `input`, and a `status` of `fulfilled` with the `value` or `rejected` with the `reason`. An annotation that
       * fails does not stop the others.
       *
       * @example
       * for await (const result of svc.annotations.createMany(requests))
       *   if (result.status === 'fulfilled') console.log(result.index, result.value.outcome)
       */
      createMany: <Input extends AnnotationRequest>(
        requests: AsyncIterable<Input> | Iterable<Input>,
        options: ManyOptions = {},
      ): AsyncGenerator<ManyResult<Input, Annotation>, void, undefined> =>
        settleMany(requests, annotate, options, 'annotations.createMany'),
    },

    /** The registry of annotators (interface: Endpoints › Surface A). */
    annotators: {
      /**
       * List the available annotators. Sends the key if there is one: the list is described as public, but the service may
       * require a key. Declares 401, 403. Retries a lost answer (interface: Endpoints › GET /v1/annotators).
       */
      list: (options?: CallOptions): ResponsePromise<AnnotatorInfo[]> =>
        call('annotators.list', {}, options, (body) => body.annotators),
    },

    /** Not implemented in version 1: a ServiceError of kind `not_implemented`, after one request. */
    batches: {
      /**
       * Create a batch; answers 501 in version 1. Declares 401, 403, 501. Does not retry a lost answer
       * (interface: Endpoints › POST /v1/batches).
       */
      create: (body?: unknown, options?: CallOptions): ResponsePromise<unknown> =>
        call('batches.create', { body }, options, (answer) => answer),
      /**
       * Get a batch; answers 501 in version 1. Declares 401, 403, 422 (HTTPValidationError), 501. Does not retry a lost
       * answer (interface: Endpoints › GET /v1/batches/{batch_id}).
       */
      get: (batchId: string, options?: CallOptions): ResponsePromise<unknown> =>
        call('batches.get', { path: { batch_id: batchId } }, options, (answer) => answer),
    },
  }
}
