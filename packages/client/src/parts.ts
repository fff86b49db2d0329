import type { rateLimiting } from './rate-limit/index.js'
import type { Reconciliation } from './reconciliation/index.js'
import type { Validation } from './validation.js'

/** The parts of a client that a program may leave out of its bundle. `@svc/client` has all of them. */
export interface Parts {
  /** Without it, a write that lost its answer is an AmbiguousWriteError, and uploads have no stamp. */
  reconciliation?: Reconciliation | undefined
  /** Without it, the service checks the input. */
  validation?: Validation | undefined
  /** Without it, each call waits for its own 429 only, and `rateLimits()` knows nothing. */
  rateLimiting?: typeof rateLimiting | undefined
}
