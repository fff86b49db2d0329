import { type Clock, within } from '../clock.js'
import { InputError } from '../errors/index.js'
import type { Operation } from '../operation.js'
import type { ApiKey, Settings } from '../options.js'

const optionOf = { annotation: 'annotationApiKey', workspace: 'workspaceApiKey' } as const
const variableOf = { annotation: 'SVC_ANNOTATION_API_KEY', workspace: 'SVC_WORKSPACE_API_KEY' } as const

/** The headers of one attempt, and the key that they carry. */
export interface Authorized {
  headers: Record<string, string>
  key?: string | undefined
}

/**
 * Gives the headers that every request of this client carries, with the surface's key as a bearer token; a key given as a
 * function is asked for each time, within the time that the call has left. An `authorization` of the caller's own takes
 * the key's place; where an operation sends no key, neither is sent.
 */
export async function authorize(
  { id, surface, key: need }: Pick<Operation, 'id' | 'surface' | 'key'>,
  settings: Settings,
  limit: { deadlineAt: number; signal: AbortSignal | undefined },
): Promise<Authorized> {
  const { authorization: own, ...headers } = settings.headers
  if (need === 'none') return { headers }
  const { key: given, secretMayGo } = settings.surfaces[surface]
  if (!secretMayGo && (own !== undefined || given !== undefined)) {
    const message = `${id}: would send the key over plain http; use https, or allowHttp: true.`
    throw new InputError('invalid_base_url', message, id)
  }
  if (own !== undefined) return { headers: settings.headers, key: own.replace(/^Bearer /i, '') }
  const asked: unknown = typeof given === 'function' ? await callKeyFunction(given, id, settings.clock, limit) : given
  if (asked !== undefined && typeof asked !== 'string') {
    throw new InputError('invalid_key', `${id}: expected an API key as a string, got a ${typeof asked}.`, id)
  }
  const key = asked?.trim()
  if (key) {
    if (sendable.test(key)) return { headers: { ...headers, authorization: `Bearer ${key}` }, key }
    const message = `${id}: the API key holds white space, quotes or other characters that no key has; pass the bare key.`
    throw new InputError('invalid_key', message, id)
  }
  if (need === 'optional') return { headers }
  const message = `${id}: needs an API key; pass apiKey or ${optionOf[surface]}, or set SVC_API_KEY or ${variableOf[surface]}.`
  throw new InputError('missing_key', message, id)
}

/** What can be seen of ASCII, but quotes. */
const sendable = /^[!#-&(-_a-~]+$/

async function callKeyFunction(
  give: Exclude<ApiKey, string>,
  operation: string,
  clock: Clock,
  { deadlineAt, signal }: { deadlineAt: number; signal: AbortSignal | undefined },
): Promise<string> {
  try {
    return await within(clock, deadlineAt - clock.now(), signal, Promise.resolve().then(give))
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw new InputError('invalid_key', `${operation}: the key function gave no key.`, operation, [], cause)
  }
}
