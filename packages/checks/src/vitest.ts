/**
 * The matcher `toPassChecks` in vitest: import this module in a test or in a setup file, and `expect` has it.
 *
 * @example
 * import '@svc/checks/vitest'
 *
 * test('the answer passes our policy', async () => {
 *   await expect(messages).toPassChecks({ client: createClient(), annotator: 'structural' })
 * })
 *
 * @module @svc/checks/vitest
 */

import { expect } from 'vitest'
import { type CheckMatchers, matchers } from './matchers.js'

declare module 'vitest' {
  interface Matchers<T> extends CheckMatchers<T> {}
}

expect.extend(matchers)

export { type CheckMatchers, type MatcherOptions, matchers } from './matchers.js'
