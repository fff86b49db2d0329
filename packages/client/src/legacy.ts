import { declares } from './answer.js'
import type { Answer } from './answered.js'
import type { Call } from './call.js'
import type { Operation } from './operation.js'
import type { CallOptions } from './options.js'
import type { Project, Transcript } from './types.js'

const legacy = {
  surface: 'workspace',
  method: 'POST',
  repeat: 'legacy',
  key: 'required',
  declares: declares.record,
} as const
const createSession: Operation<'legacy.createSession'> = {
  ...legacy,
  id: 'legacy.createSession',
  path: '/halfpipe/sessions',
}
const createTranscript: Operation<'legacy.createTranscript'> = {
  ...legacy,
  id: 'legacy.createTranscript',
  path: '/halfpipe/transcripts',
}

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
      call(
        createSession,
        () => ({ body }),
        options,
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
        () => ({ body }),
        options,
        (answer) => answer.data,
      ),
  }
}
