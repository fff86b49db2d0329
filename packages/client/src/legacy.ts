import { declares } from './answer.js'
import type { Answer } from './answered.js'
import type { Call } from './call.js'
import type { Operation } from './operation.js'
import type { CallOptions } from './options.js'
import type { Project, Transcript } from './types.js'
import { asBody, type WorkspaceWire } from './wire.js'

const surface = { surface: 'workspace', repeat: 'legacy', key: 'required', declares: declares.record } as const
const createSession: Operation = { ...surface, id: 'legacy.createSession' }
const createTranscript: Operation = { ...surface, id: 'legacy.createTranscript' }

type LegacyBody = Record<string, unknown>

/** The legacy routes of surface B; their request bodies are not shown. */
export function legacyVerbs(wire: WorkspaceWire, call: Call) {
  return {
    /**
     * Creates a project; its body is not shown in the interface. Declares 400, 401, 403, 413, 429. A lost answer is an
     * AmbiguousWriteError (interface: Endpoints › POST /halfpipe/sessions).
     * @deprecated Use `projects.create`.
     */
    createSession: (body: LegacyBody, options?: CallOptions): Answer<Project> =>
      call(
        createSession,
        options,
        (to) => wire.POST('/halfpipe/sessions', { body: asBody(body), ...to }),
        (answer) => answer.data,
      ),
    /**
     * Uploads a transcript; its body is not shown in the interface. Declares 400, 401, 403, 404, 413, 429. A lost
     * answer is an AmbiguousWriteError (interface: Endpoints › POST /halfpipe/transcripts).
     * @deprecated Use `transcripts.upload`.
     */
    createTranscript: (body: LegacyBody, options?: CallOptions): Answer<Transcript> =>
      call(
        createTranscript,
        options,
        (to) => wire.POST('/halfpipe/transcripts', { body: asBody(body), ...to }),
        (answer) => answer.data,
      ),
  }
}
