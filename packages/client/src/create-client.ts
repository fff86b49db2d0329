import { clientWith, type SvcClient } from './client.js'
import type { ClientOptions } from './options.js'
import { rateLimiting } from './rate-limit/index.js'
import { reconciliation } from './reconciliation/index.js'
import { validation } from './validation.js'

/**
 * Create the client of both surfaces. Throws an InputError for a base URL that must not receive a key (`invalid_base_url`)
 * and for an invalid option (`invalid_input`). A missing key or base URL is reported by the first call that needs it.
 *
 * @example
 * const svc = createClient({ apiKey, baseUrl, publicBaseUrl })
 * const project = await svc.projects.create({ name: 'Support, May' })
 * const turns = [{ role: 'user', content: 'Where is order 7?' }]
 * const { id, processing_status } = await svc.transcripts.upload(project.id, { name: 'Call 1', turns })
 */
export const createClient = (options: ClientOptions = {}): SvcClient =>
  clientWith(options, { rateLimiting, reconciliation, validation })
