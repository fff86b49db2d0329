/**
 * A typed client of the control plane, for tests in another process than the server.
 *
 * @example
 * const control = createControlClient({ url: process.env.SVC_CONTROL_URL, token: process.env.SVC_CONTROL_TOKEN })
 * await control.POST('/clock', { body: { advanceMs: 60_000 } })
 * const { data } = await control.GET('/requests', { params: { query: { operation: 'transcripts.upload' } } })
 *
 * @module @svc/reference-server/control
 */

import createOpenApiClient, { type Client } from 'openapi-fetch'
import type { paths } from '../generated/control.js'

/** The control plane by its paths. A call returns `data`, or `error` with what is wrong, and the `response`. */
export type ControlClient = Client<paths>

/** The address of the control plane, and its token. */
export interface ControlClientOptions {
  /** The value of `SVC_CONTROL_URL`, such as `http://127.0.0.1:4010/_svc`. */
  url: string | undefined
  /** The value of `SVC_CONTROL_TOKEN`, or of the option `control` of the server. */
  token: string | undefined
  /** The `fetch` of a server in this process. Default: the global one. */
  fetch?: (request: Request) => Promise<Response>
}

/**
 * Create a client of the control plane.
 *
 * @throws {TypeError} without a URL or a token: the server does not serve its control plane
 */
export function createControlClient({ url, token, fetch }: ControlClientOptions): ControlClient {
  if (!url || !token)
    throw new TypeError(
      'Expected url and token of a control plane; svc mock --control sets SVC_CONTROL_URL and SVC_CONTROL_TOKEN.',
    )
  return createOpenApiClient<paths>({
    baseUrl: url.endsWith('/') ? url.slice(0, -1) : url,
    headers: { authorization: `Bearer ${token}` },
    ...(fetch && { fetch }),
  })
}
