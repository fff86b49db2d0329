import type { Answer } from '../http/index.js'
import type { CallOptions } from '../options.js'
import type { Annotation, AnnotationRequest, AnnotatorInfo, Health } from '../types.js'
import { checkAnnotation } from '../validation/index.js'
import type { Call } from './call.js'

/** An annotator may think for minutes; a shorter time-out would pay for an answer that nobody waits for. */
const annotationTimeoutMs = 240_000

/** The verbs of surface A. */
export function annotationVerbs(call: Call) {
  return {
    /**
     * Reports liveness and the serving substrate. Sends no key, waits at no gate, declares no refusal; a lost answer is
     * asked for again (interface: Endpoints › GET /health).
     */
    health: (options?: CallOptions): Answer<Health> => call('health', {}, options, (body) => body),

    /** What a named annotator makes of a transcript (interface: Endpoints › Surface A). */
    annotations: {
      /**
       * Annotates one transcript, synchronously; `signals[key].turn` is the 1-indexed position in `transcript`.
       * Declares 401, 403, 404, 422, 429, 502, 503. Stores nothing, but may be billed: repeated after 502 and 503, once
       * after a lost connection, never after a time-out, 500 or 504 (interface: Endpoints › POST /v1/annotations).
       */
      create: (request: AnnotationRequest, options?: CallOptions): Answer<Annotation> =>
        call('annotations.create', { body: request }, options, (body) => body, {
          timeoutMs: annotationTimeoutMs,
          check: (bytes) => checkAnnotation(request, bytes),
        }),
    },

    /** The registry of annotators (interface: Endpoints › Surface A). */
    annotators: {
      /**
       * Lists the available annotators. A key is sent where there is one; the interface calls the list public, and yet
       * a call without a key may be refused. Declares 401, 403. A lost answer is asked for again
       * (interface: Endpoints › GET /v1/annotators).
       */
      list: (options?: CallOptions): Answer<AnnotatorInfo[]> =>
        call('annotators.list', {}, options, (body) => body.annotators),
    },

    /** Declared in version 1 and answered with 501: a ServiceError of kind `not_implemented`, after one request. */
    batches: {
      /**
       * Answers 501 in version 1; bodies beyond that are not shown. Declares 401, 403, 501. A lost answer is not asked
       * for again (interface: Endpoints › POST /v1/batches).
       */
      create: (body?: unknown, options?: CallOptions): Answer<unknown> =>
        call('batches.create', { body }, options, (answer) => answer),
      /**
       * Answers 501 in version 1; bodies beyond that are not shown. Declares 401, 403, 422 (HTTPValidationError), 501.
       * A lost answer is not asked for again (interface: Endpoints › GET /v1/batches/{batch_id}).
       */
      get: (batchId: string, options?: CallOptions): Answer<unknown> =>
        call('batches.get', { path: { batch_id: batchId } }, options, (answer) => answer),
    },
  }
}
