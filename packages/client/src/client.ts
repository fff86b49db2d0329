import { type ClientState, newState, type ResponsePromise } from './http/index.js'
import type { Surface } from './operation.js'
import {
  type CallDefaults,
  type ClientOptions,
  callDefaults,
  refuseUnknown,
  resolveOptions,
  type Settings,
  withDefaults,
  withSettings,
} from './options.js'
import type { Parts } from './parts.js'
import type { RateLimit } from './rate-limit/index.js'
import {
  type AnnotationSurface,
  annotationSurface,
  createCall,
  createCallOperation,
  type LegacyMethods,
  legacyMethods,
  type ProjectMethods,
  projectMethods,
  type RequestContent,
  type RequestOptions,
  requestMethod,
  type TranscriptMethods,
  transcriptMethods,
} from './resources/index.js'

/**
 * The methods of both surfaces. A method rejects with an InputError before it sends, a ServiceError for an error answer, a
 * ConnectionError without an answer, an AmbiguousWriteError if a write may be stored, or the reason of the caller's abort.
 */
export interface SvcClient extends AnnotationSurface {
  /** Containers of transcripts, scoped to the key's workspace (interface: Endpoints › Surface B). */
  projects: ProjectMethods
  /** Conversation transcripts of a project, with turns and annotations (interface: Endpoints › Surface B). */
  transcripts: TranscriptMethods
  /** Deprecated routes, with the answers of `projects` and `transcripts` (interface: Endpoints › Legacy routes). */
  legacy: LegacyMethods
  /**
   * Send a request that no other method covers; resolve to the parsed body, or to its text if it is not JSON. `path` is
   * relative to the base URL of the surface and stays below it. Key, time limits, rate limiter and errors are those of all
   * methods. GET and HEAD are retried like any read. Any other request may store something: if it fails after it may
   * have reached the service, it rejects with an AmbiguousWriteError.
   *
   * @example
   * const list = await svc.request('workspace', 'GET', '/projects', { query: { limit: 5 } })
   */
  request(
    surface: Surface,
    method: string,
    path: string,
    content?: RequestContent,
    options?: RequestOptions,
  ): ResponsePromise<unknown>
  /**
   * The rate limit learned so far for the key that was used last on each surface (interface: Limits). Each key has its own,
   * also if `apiKey` is a function that gives many.
   */
  rateLimits(): Record<Surface, RateLimit>
  /** Derive a client with other defaults, and the same keys and rate limiters. Throws an InputError as `createClient`. */
  with(defaults: CallDefaults): SvcClient
}

/** Create a client with some parts. Throws the errors of `createClient`. */
export const clientWith = (options: ClientOptions, parts: Parts): SvcClient =>
  clientOf(resolveOptions(options), newState(parts.rateLimiting?.createRateLimiters()), parts)

function clientOf(settings: Settings, state: ClientState, parts: Parts): SvcClient {
  const callOperation = createCallOperation(settings, state, parts)
  const call = createCall(callOperation)
  const client: SvcClient = {
    ...annotationSurface(call),
    projects: projectMethods(call),
    transcripts: transcriptMethods(call, parts),
    legacy: legacyMethods(call),
    request: requestMethod(callOperation),
    rateLimits() {
      const limitOf = (surface: Surface): RateLimit =>
        state.rateLimiters?.limitOf(surface, settings.clock) ?? unknownLimit
      return { annotation: limitOf('annotation'), workspace: limitOf('workspace') }
    },
    with(defaults) {
      refuseUnknown('with', defaults, callDefaults)
      return clientOf(withDefaults(settings, defaults), state, parts)
    },
  }
  return withSettings(client, settings)
}

const unknownLimit: RateLimit = {
  closedUntil: undefined,
  admitted: 0,
  quota: undefined,
  windowMs: undefined,
  shared: false,
}
