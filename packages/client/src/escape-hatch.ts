import { authorize } from './credentials.js'
import { InputError } from './errors.js'
import { shownUrl } from './events.js'
import { refused } from './failure.js'
import type { Fetch } from './fetch.js'
import type { Surface } from './operation.js'
import type { Settings } from './options.js'

/**
 * The Fetch behind `svc.wires`: the same key, headers, binding to the base URL and refusal of redirects as every verb;
 * one request, no time-out, and the answer as it came.
 */
export const escapeHatch =
  (surface: Surface, settings: Settings): Fetch =>
  async (request) => {
    const operation = { id: `wires.${surface}`, surface, key: 'optional' } as const
    const { baseUrl } = settings.surfaces[surface]
    if (!baseUrl || !request.url.startsWith(`${baseUrl}/`)) {
      const message = `${operation.id}: requests go to ${baseUrl ?? 'a base URL'} only, because the key belongs to it.`
      throw new InputError(baseUrl ? 'invalid_base_url' : 'missing_base_url', message, operation.id)
    }
    const headers = new Headers(request.headers)
    const limit = { deadlineAt: settings.clock.now() + settings.deadlineMs, signal: request.signal }
    const key = await authorize(headers, operation, settings, limit)
    const response = await settings.transport.fetch(new Request(request, { headers, redirect: 'manual' }))
    const { status } = response
    if (status !== 0 && (status < 300 || status >= 400)) return response.toResponse?.() ?? (response as Response)
    response.body
      ?.getReader()
      .cancel()
      .catch(() => {})
    const context = {
      operation: operation.id,
      surface,
      method: request.method,
      url: shownUrl(request.url),
      attempts: [],
    }
    throw refused(context, status, undefined, undefined, key)
  }
