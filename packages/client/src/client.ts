import { annotationVerbs } from './annotation.js'
import { createCall } from './call.js'
import { escapeHatch } from './escape-hatch.js'
import { legacyVerbs } from './legacy.js'
import type { Surface } from './operation.js'
import { type CallDefaults, type ClientOptions, resolveOptions, type Settings, withDefaults } from './options.js'
import { projectVerbs } from './projects.js'
import { transcriptVerbs } from './transcripts.js'
import { type RateLimit, rateLimitOf } from './turnstile.js'
import { createWires, type Wires } from './wire.js'

/** Every verb of both surfaces. */
export interface SvcClient extends ReturnType<typeof annotationVerbs> {
  projects: ReturnType<typeof projectVerbs>
  transcripts: ReturnType<typeof transcriptVerbs>
  legacy: ReturnType<typeof legacyVerbs>
  /** The typed openapi-fetch clients themselves, with this client's keys and guards: for what no verb covers. */
  wires: Wires
  /** What the gates know: rate limits of each surface's key, as far as refusals have taught them. */
  rateLimits(): Record<Surface, RateLimit>
  /** A client with other defaults for the same credentials, behind the same gates. */
  with(defaults: CallDefaults): SvcClient
}

/** The client of both surfaces. Options that are not given come from the environment; see ClientOptions. */
export const createClient = (options: ClientOptions = {}): SvcClient => clientOf(resolveOptions(options))

function clientOf(settings: Settings): SvcClient {
  const createOwn = () => createWires(settings.surfaces, (surface) => escapeHatch(surface, settings))
  // The verbs have wires of their own: middleware that a caller adds to the public ones does not reach them.
  const own = createOwn()
  const call = createCall(settings)
  return {
    ...annotationVerbs(own.annotation, call),
    projects: projectVerbs(own.workspace, call),
    transcripts: transcriptVerbs(own.workspace, call, settings.stamp),
    legacy: legacyVerbs(own.workspace, call),
    wires: createOwn(),
    rateLimits() {
      const { annotation, workspace } = settings.surfaces
      const now = settings.clock.now()
      return { annotation: rateLimitOf(annotation.gate, now), workspace: rateLimitOf(workspace.gate, now) }
    },
    with: (defaults) => clientOf(withDefaults(settings, defaults)),
  }
}
