import type { Answer } from '../http/index.js'
import type { CallOptions } from '../options.js'
import type { Project, Transcript } from '../types.js'
import type { Call } from './call.js'

type LegacyBody = Record<string, unknown>

/** The legacy routes of surface B; their request bodies are not shown. */
export function legacyVerbs(call: Call) {
  return {
    /**
     * Creates a project; its body is not shown in the interface. Declares 400, 401, 403, 413, 429. A lost answer is an
     * AmbiguousWriteError (interface: Endpoints › POST /halfpipe/sessions).
     * @deprecated Use `projects.create`.
     */
    createSession: (body: LegacyBody, options?: CallOptions): Answer<Project> =>
      call('legacy.createSession', { body }, options, (answer) => answer.data),
    /**
     * Uploads a transcript; its body is not shown in the interface. Declares 400, 401, 403, 404, 413, 429. A lost
     * answer is an AmbiguousWriteError (interface: Endpoints › POST /halfpipe/transcripts).
     * @deprecated Use `transcripts.upload`.
     */
    createTranscript: (body: LegacyBody, options?: CallOptions): Answer<Transcript> =>
      call('legacy.createTranscript', { body }, options, (answer) => answer.data),
  }
}
