/**
 * The matcher `toHaveReceived` in vitest: import this module in a test or in a setup file, and `expect` has it.
 *
 * @example
 * import '@svc/reference-server/vitest'
 *
 * expect(server).toHaveReceived('transcripts.upload', { body: { name: 'Ticket 7' }, times: 1 })
 *
 * @module @svc/reference-server/vitest
 */

import { expect } from 'vitest'
import { matchers, type ServerMatchers } from './matchers.js'

declare module 'vitest' {
  interface Matchers<T> extends ServerMatchers<void> {}
}

expect.extend(matchers)

export {
  type ExpectedRequest,
  type MatcherContext,
  type MatcherResult,
  matchers,
  type ServerMatchers,
} from './matchers.js'
