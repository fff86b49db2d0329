import type { ResponsePromise } from '../http/index.js'
import type { CallOptions } from '../options.js'
import type { Project, Transcript } from '../types.js'
import type { Call } from './call.js'

/** The methods of `svc.legacy`: deprecated routes, whose request bodies the interface does not show (interface: Endpoints › Legacy routes). */
export interface LegacyMethods {
  /**
   * Create a project. Declares 400, 401, 403, 413, 429. Throws an AmbiguousWriteError if the answer is lost
   * (interface: Endpoints › POST /halfpipe/sessions).
   * @deprecated Use `projects.create`.
   */
  createSession(body: Record<string, unknown>, options?: CallOptions): ResponsePromise<Project>

  /**
   * Upload a transcript. Declares 400, 401, 403, 404, 413, 429. Throws an AmbiguousWriteError if the answer is lost
   * (interface: Endpoints › POST /halfpipe/transcripts).
   * @deprecated Use `transcripts.upload`.
   */
  createTranscript(body: Record<string, unknown>, options?: CallOptions): ResponsePromise<Transcript>
}

export const legacyMethods = (call: Call): LegacyMethods => ({
  createSession: (body, options) => call('legacy.createSession', { body }, options, (answer) => answer.data),
  createTranscript: (body, options) => call('legacy.createTranscript', { body }, options, (answer) => answer.data),
})
