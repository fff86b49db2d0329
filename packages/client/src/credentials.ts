import { type Clock, within } from './clock.js'
import { InputError } from './errors.js'
import type { Operation } from './operation.js'
import type { ApiKey, Settings } from './options.js'

const optionOf = { annotation: 'annotationApiKey', workspace: 'workspaceApiKey' } as const
const variableOf = { annotation: 'SVC_ANNOTATION_API_KEY', workspace: 'SVC_WORKSPACE_API_KEY' } as const

/**
 * Sets the headers that every request of this client carries, and the surface's key as a bearer token; a key given as a
 * function is asked for each time, within the time that the call has left. An `authorization` of the caller's own takes
 * the key's place; where an operation sends no key, neither is sent. Gives the key sent, at once where it is at hand.
 */
export function authorize(
  headers: Headers,
  operation: Pick<Operation, 'id' | 'surface' | 'key'>,
  settings: Settings,
  limit: { deadlineAt: number; signal: AbortSignal | undefined },
): string | undefined | Promise<string | undefined> {
  const { id, surface, key: need } = operation
  for (const name in settings.headers) {
    if (name !== 'authorization' || need !== 'none') setHeader(headers, name, settings.headers[name] as string, id)
  }
  if (need === 'none') return undefined
  const { key: given, secretMayGo } = settings.surfaces[surface]
  const own = settings.headers.authorization
  if (!secretMayGo && (own !== undefined || given !== undefined)) {
    const message = `${id}: would send the key over plain http; use https, or allowHttp: true.`
    throw new InputError('invalid_base_url', message, id)
  }
  if (own !== undefined) return own.replace(/^Bearer /i, '')
  if (typeof given !== 'function') return bear(headers, given, operation)
  return askedFor(given, id, settings.clock, limit).then((key) => bear(headers, key, operation))
}

function bear(
  headers: Headers,
  given: string | undefined,
  { id, surface, key: need }: Pick<Operation, 'id' | 'surface' | 'key'>,
): string | undefined {
  if (given !== undefined && typeof given !== 'string') {
    throw new InputError('invalid_key', `${id}: expected an API key as a string, got a ${typeof given}.`, id)
  }
  const key = given?.trim()
  if (key) {
    if (!sendable.test(key)) {
      const message = `${id}: the API key holds white space, quotes or other characters that no key has; pass the bare key.`
      throw new InputError('invalid_key', message, id)
    }
    headers.set('authorization', `Bearer ${key}`)
    return key
  }
  if (need === 'optional') return undefined
  const message = `${id}: needs an API key; pass apiKey or ${optionOf[surface]}, or set SVC_API_KEY or ${variableOf[surface]}.`
  throw new InputError('missing_key', message, id)
}

/** What can be seen of ASCII, but quotes. */
const sendable = /^[!#-&(-_a-~]+$/

/** Without the value in the error: a header may be a secret. */
function setHeader(headers: Headers, name: string, value: string, operation: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new InputError('invalid_input', `${operation}: the header ${JSON.stringify(name)} cannot be sent.`, operation)
  }
}

async function askedFor(
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
