/** The entry for `import` in Node, which exports what `index.ts` does, and says what to do if MSW is missing. */

import { missingMsw } from './missing-msw.js'

export * from './core.js'
export type { ReferenceServerWithHandlers } from './handlers.js'

export const { createReferenceServer } = await import('./handlers.js').catch((cause: unknown) => {
  throw missingMsw(cause)
})
