import { within } from './clock.js'
import { InputError } from './errors.js'
import type { Operation } from './operation.js'
import type { ApiKey, Settings } from './options.js'

const optionOf = { annotation: 'annotationApiKey', workspace: 'workspaceApiKey' } as const
const variableOf = { annotation: 'SVC_ANNOTATION_API_KEY', workspace: 'SVC_WORKSPACE_API_KEY' } as const

/**
 * Sets the headers that every request of this client carries, and the surface's key as a bearer token; a key given as a
 * function is asked for each time, within the time that the call has left. An `authorization` of the caller's own takes
 * the key's place; where an operation sends no key, neither is sent. Returns the key sent.
 */
export async function authorize(
  headers: Headers,
  { id, surface, key: need }: Pick<Operation, 'id' | 'surface' | 'key'>,
  settings: Settings,
  limit: { ms: number; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  for (const [name, value] of Object.entries(settings.headers)) {
    if (name !== 'authorization' || need !== 'none') setHeader(headers, name, value, id)
  }
  if (need === 'none' || 'authorization' in settings.headers) return undefined
  const key = (await currentKey(settings.surfaces[surface].key, id, settings, limit))?.trim()
  if (key) {
    if (!/^[\x21-\x7e]+$/.test(key) || /["'`]/.test(key)) {
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

/** Without the value in the error: a header may be a secret. */
function setHeader(headers: Headers, name: string, value: string, operation: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new InputError('invalid_input', `${operation}: the header ${JSON.stringify(name)} cannot be sent.`, operation)
  }
}

async function currentKey(
  given: ApiKey | undefined,
  operation: string,
  { clock }: Settings,
  { ms, signal }: { ms: number; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  if (typeof given !== 'function') return given
  try {
    return await within(clock, ms, signal, Promise.resolve().then(given))
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw new InputError('invalid_key', `${operation}: the key function gave no key.`, operation, [], cause)
  }
}
