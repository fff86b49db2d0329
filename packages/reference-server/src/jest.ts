/**
 * The matcher `toHaveReceived` in Jest: name this module in `setupFilesAfterEnv`, or import it in a test.
 *
 * @example
 * import '@svc/reference-server/jest'
 *
 * expect(server).toHaveReceived('transcripts.upload', { body: { name: 'Ticket 7' }, times: 1 })
 *
 * @module @svc/reference-server/jest
 */

import { matchers, type ServerMatchers } from './matchers.js'

declare global {
  namespace jest {
    interface Matchers<R> extends ServerMatchers<R> {}
  }
}

const { expect } = globalThis as { expect?: { extend(matchers: object): void } }
if (!expect)
  throw new Error('@svc/reference-server/jest needs the global `expect` of Jest. Elsewhere: expect.extend(matchers).')
expect.extend(matchers)

export {
  type ExpectedRequest,
  type MatcherContext,
  type MatcherResult,
  matchers,
  type ServerMatchers,
} from './matchers.js'
