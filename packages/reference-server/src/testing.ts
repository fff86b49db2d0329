/**
 * Ambiguities that only a test of a client needs.
 *
 * @module @svc/reference-server/testing
 */

import type { AllAmbiguities, Ambiguities } from './ambiguities/index.js'

export { type AllAmbiguities, type TestAmbiguities, testAmbiguityNames } from './ambiguities/index.js'

/** Ambiguities for the option of a server or for `server.ambiguities.set`, with those that only a test needs. */
export const withTestAmbiguities = (ambiguities: Partial<AllAmbiguities>): Partial<Ambiguities> => ambiguities
