/**
 * A client of chosen parts, for small bundles.
 *
 * @module @svc/client/core
 */

import { clientWith, type SvcClient } from './client.js'
import type { ClientOptions } from './options.js'
import type { Parts } from './parts.js'

export type { Parts } from './parts.js'
export { rateLimiting } from './rate-limit/index.js'
export { reconciliation } from './reconciliation/index.js'
export { validation } from './validation.js'

/**
 * Create a client that has only the given parts, for a small bundle; the `createClient` of `@svc/client` has all of them.
 * The errors and types are exported by `@svc/client`. Throws an InputError as `createClient` does.
 *
 * @example
 * const svc = createClient({ apiKey, publicBaseUrl }, { reconciliation })
 */
export const createClient = (options: ClientOptions = {}, parts: Parts = {}): SvcClient => clientWith(options, parts)
