import { authorize } from './credentials.js'
import { shownUrl } from './events.js'
import { refused } from './failure.js'
import type { Fetch } from './fetch.js'
import type { Surface } from './operation.js'
import type { Settings } from './options.js'

/**
 * The Fetch behind `svc.wires`: the same key, headers and refusal of redirects as every verb; one request, no time-out,
 * and the answer as it came.
 */
export const escapeHatch =
  (surface: Surface, settings: Settings): Fetch =>
  async (request) => {
    const headers = new Headers(request.headers)
    const operation = {
      id: `wires.${surface}`,
      surface,
      method: 'GET',
      repeat: 'legacy',
      key: 'optional',
      answer: 'body',
    } as const
    const key = await authorize(headers, operation, settings)
    const response = await settings.fetch(new Request(request, { headers, redirect: 'manual' }))
    if (response.status !== 0 && (response.status < 300 || response.status >= 400)) return response
    const context = {
      operation: operation.id,
      surface,
      method: request.method,
      url: shownUrl(request.url),
      attempts: [],
    }
    throw refused(context, response.status, undefined, undefined, key)
  }
