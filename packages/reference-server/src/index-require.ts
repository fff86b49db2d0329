/** The entry for `require`, which exports what `index.ts` does, and says what to do if MSW is missing. */

import { missingMsw } from './missing-msw.js'

export * from './core.js'
export type { ReferenceServerWithHandlers } from './handlers.js'

export const { createReferenceServer } = load()

function load(): typeof import('./handlers.js') {
  try {
    return require('./handlers.js')
  } catch (cause) {
    throw missingMsw(cause)
  }
}
