import type { ResponsePromise } from '../http/index.js'
import type { CallOptions } from '../options.js'
import type { Project, Transcript } from '../types.js'
import type { Call } from './call.js'

type LegacyBody = Record<string, unknown>

/** The legacy routes of surface B; the interface does not show their request bodies. */
export const legacyMethods = (call: Call) => ({
  /**
   * Create a project. Declares 400, 401, 403, 413, 429. Throws an AmbiguousWriteError if the answer is lost
   * (interface: Endpoints › POST /halfpipe/sessions).
   * @deprecated Use `projects.create`.
   */
  createSession: (body: LegacyBody, options?: CallOptions): ResponsePromise<Project> =>
    call('legacy.createSession', { body }, options, (answer) => answer.data),
  /**
   * Upload a transcript. Declares 400, 401, 403, 404, 413, 429. Throws an AmbiguousWriteError if the answer is lost
   * (interface: Endpoints › POST /halfpipe/transcripts).
   * @deprecated Use `transcripts.upload`.
   */
  createTranscript: (body: LegacyBody, options?: CallOptions): ResponsePromise<Transcript> =>
    call('legacy.createTranscript', { body }, options, (answer) => answer.data),
})
