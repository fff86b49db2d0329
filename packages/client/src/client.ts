import { type ClientState, createWires, newState, type Wires } from './http/index.js'
import { lazily } from './lazily.js'
import type { Surface } from './operation.js'
import {
  type CallDefaults,
  type ClientOptions,
  callDefaults,
  refuseUnknown,
  resolveOptions,
  type Settings,
  withDefaults,
} from './options.js'
import { type RateLimit, rateLimitOf } from './rate-limit/index.js'
import { annotationMethods, createCall, legacyMethods, projectMethods, transcriptMethods } from './resources/index.js'

/**
 * Every verb of both surfaces. A verb rejects with an InputError before it sends, a ServiceError when the service says
 * no, a ConnectionError when no answer came, an AmbiguousWriteError when a write may have been stored, or with the
 * reason of the caller's abort.
 */
export interface SvcClient extends ReturnType<typeof annotationMethods> {
  /** Containers of transcripts, scoped to the key's workspace (interface: Endpoints › Surface B). */
  projects: ReturnType<typeof projectMethods>
  /** Conversation transcripts of a project, with turns and annotations (interface: Endpoints › Surface B). */
  transcripts: ReturnType<typeof transcriptMethods>
  /** Deprecated routes, which answer as `projects` and `transcripts` do (interface: Endpoints › Legacy routes). */
  legacy: ReturnType<typeof legacyMethods>
  /**
   * The typed openapi-fetch clients themselves, for what no verb covers: with this client's keys, headers, base URLs
   * and refusal of redirects; one request each, with no time-out, check, gate or repetition, and the answer as it came.
   */
  wires: Wires
  /** What is known of the rate limit of each surface's key, as far as refusals have taught it (interface: Limits). */
  rateLimits(): Record<Surface, RateLimit>
  /**
   * A client with other defaults for the same credentials, behind the same gates; throws an InputError as
   * `createClient`.
   */
  with(defaults: CallDefaults): SvcClient
}

/**
 * The client of both surfaces; sends nothing by itself. Throws an InputError for a base URL that a key must not go to
 * (`invalid_base_url`) and for a time or a policy that is none (`invalid_input`). A key or base URL that is missing is
 * missed by the verb that needs it.
 *
 * @example
 * const svc = createClient({ apiKey, baseUrl, publicBaseUrl })
 * const project = await svc.projects.create({ name: 'Support, May' })
 * const turns = [{ role: 'user', content: 'Where is order 7?' } as const]
 * const { id, processing_status } = await svc.transcripts.upload(project.id, { name: 'Call 1', turns })
 */
export const createClient = (options: ClientOptions = {}): SvcClient => clientOf(resolveOptions(options), newState())

function clientOf(settings: Settings, state: ClientState): SvcClient {
  const call = createCall(settings, state)
  const wires = lazily(() => createWires(settings))
  return {
    ...annotationMethods(call),
    projects: projectMethods(call),
    transcripts: transcriptMethods(call),
    legacy: legacyMethods(call),
    // Created when they are asked for: the runtime's Request makes Node load its whole fetch.
    get wires() {
      return wires()
    },
    rateLimits() {
      const { annotation, workspace } = state.rateLimiters
      const now = settings.clock.now()
      return { annotation: rateLimitOf(annotation, now), workspace: rateLimitOf(workspace, now) }
    },
    with(defaults) {
      refuseUnknown('with', defaults, callDefaults)
      return clientOf(withDefaults(settings, defaults), state)
    },
  }
}
