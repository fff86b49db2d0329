import createClient, { type Client, createQuerySerializer } from 'openapi-fetch'
import { inputError, safeCause, serviceError } from '../errors/index.js'
import { shownUrl } from '../events.js'
import type { paths as AnnotationPaths } from '../generated/annotation.js'
import type { paths as WorkspacePaths } from '../generated/workspace.js'
import { authorize, pathWithIds, queryOf } from '../http/index.js'
import type { Surface } from '../operation.js'
import { type Settings, settingsOf } from '../options.js'
import { type Fetch, type TransportResponse, valuesOf } from '../transport.js'

/** The typed openapi-fetch client of surface A, whose paths begin with `/v1` (interface: Endpoints › Surface A). */
export type AnnotationClient = Client<AnnotationPaths>
/**
 * The typed openapi-fetch client of surface B, whose paths are relative to its base (interface: Endpoints › Surface B).
 */
export type WorkspaceClient = Client<WorkspacePaths>

/** The typed openapi-fetch clients of both surfaces. */
export interface OpenapiClients {
  /** Surface A, at `baseUrl`. */
  annotation: AnnotationClient
  /** Surface B, at `publicBaseUrl`. */
  workspace: WorkspaceClient
}

/**
 * Create the typed openapi-fetch clients of a client. They use its keys, headers, transport and base URLs and refuse redirects, but
 * have no time-out, input check, rate limiter or retry. Throws an InputError if `svc` is not a client of `createClient`.
 *
 * @example
 * const { workspace } = openapi(svc)
 * const { data, error } = await workspace.GET('/projects', { params: { query: { limit: 5 } } })
 */
export function openapi(svc: object): OpenapiClients {
  const settings = settingsOf(svc)
  return {
    annotation: withoutText(createClient(openapiOptions('annotation', settings))),
    workspace: withoutText(createClient(openapiOptions('workspace', settings))),
  }
}

/** Replaces the errors of `JSON.parse`, which show the text. */
function withoutText<T extends object>(client: T): T {
  const replaced = (error: unknown) => {
    throw error instanceof SyntaxError ? new SyntaxError('The answer is not JSON.') : error
  }
  const wrapped = Object.entries(client).map(([name, method]) => [
    name,
    (...args: unknown[]) => {
      const result: unknown = method(...args)
      return result instanceof Promise ? result.catch(replaced) : result
    },
  ])
  return Object.fromEntries(wrapped)
}

const openapiOptions = (surface: Surface, settings: Settings) => ({
  // openapi-fetch builds a URL before `fetchOf` can refuse a missing base URL.
  baseUrl: settings.surfaces[surface].baseUrl ?? 'https://base-url.invalid',
  fetch: fetchOf(surface, settings),
  pathSerializer: pathWithIds(`openapi.${surface}`),
  // openapi-fetch drops a Date.
  querySerializer: (query: object) => createQuerySerializer()(queryOf(query, `openapi.${surface}`)),
})

/** Sends one request, with the key, headers, base URL check and redirect refusal of every method, but no time-out. */
const fetchOf =
  (surface: Surface, settings: Settings): Fetch =>
  async (...given) => {
    const request = await valuesOf(...given)
    const { url, method, signal } = request
    const operation = { id: `openapi.${surface}`, surface, key: 'optional' } as const
    const { baseUrl } = settings.surfaces[surface]
    if (!baseUrl || !url.startsWith(`${baseUrl}/`)) {
      const problem = `requests go to ${baseUrl ?? 'a base URL'} only: the key belongs to it`
      throw inputError(operation.id, problem, baseUrl ? 'invalid_base_url' : 'missing_base_url')
    }
    const limit = { deadlineAt: settings.clock.monotonic() + settings.deadlineMs, signal }
    const { headers, key } = await authorize(operation, settings, limit)
    const sent = { ...request, headers: { ...request.headers, ...headers } }
    const response = await settings.transport.send(sent).catch((error: unknown) => {
      throw signal.aborted ? error : safeCause(error)
    })
    const { status, statusText } = response
    if (status !== 0 && (status < 300 || status >= 400)) {
      const body = rawBody(response, new AbortController(), signal)
      const shown = new Response(body, { status, statusText, headers: [...response.headers] })
      return Object.defineProperty(shown, 'url', { value: url })
    }
    response.body
      ?.getReader()
      .cancel()
      .catch(() => {})
    const context = { operation: operation.id, surface, method, url: shownUrl(url), attempts: [] }
    throw serviceError(context, status, undefined, undefined, key).error
  }

/** A body for the caller to read. The caller's signal ends it with an error, also if the transport does not see to that. */
function rawBody(
  { status, body }: Pick<TransportResponse, 'status' | 'body'>,
  stop: AbortController,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> | null {
  const reader = body?.getReader()
  if (!reader) return null
  if (status === 204 || status === 205 || status === 304) {
    // A Response of these statuses has no body.
    reader.cancel().catch(() => {})
    return null
  }
  let interrupt = () => {}
  const release = () => signal?.removeEventListener('abort', interrupt)
  return new ReadableStream<Uint8Array>({
    start(controller) {
      interrupt = () => {
        controller.error(signal?.reason)
        stop.abort(signal?.reason)
        reader.cancel().catch(() => {})
      }
      signal?.addEventListener('abort', interrupt, { once: true })
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done && value) return controller.enqueue(value)
        release()
        controller.close()
      } catch (error) {
        release()
        throw safeCause(error)
      }
    },
    async cancel() {
      release()
      await reader.cancel()
    },
  })
}
