import { InputError } from './errors.js'
import type { Operation } from './operation.js'
import type { Settings } from './options.js'

const optionOf = { annotation: 'annotationApiKey', workspace: 'workspaceApiKey' } as const
const variableOf = { annotation: 'SVC_ANNOTATION_API_KEY', workspace: 'SVC_WORKSPACE_API_KEY' } as const

/**
 * Sets the headers that every request of this client carries, and the surface's key as a bearer token; a key given as a
 * function is asked for each time. An `authorization` header of the caller's own is left alone. Returns the key sent.
 */
export async function authorize(
  headers: Headers,
  operation: Operation,
  settings: Settings,
): Promise<string | undefined> {
  for (const [name, value] of Object.entries(settings.headers)) headers.set(name, value)
  if (operation.key === 'none' || 'authorization' in lowerCased(settings.headers)) return undefined
  const given = settings.surfaces[operation.surface].key
  const key = (typeof given === 'function' ? await given() : given)?.trim()
  if (key) {
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new InputError(
        'invalid_key',
        `${operation.id}: the API key holds characters that no key has.`,
        operation.id,
      )
    }
    headers.set('authorization', `Bearer ${key}`)
    return key
  }
  if (operation.key === 'optional') return undefined
  const { surface, id } = operation
  const message = `${id}: needs an API key; pass apiKey or ${optionOf[surface]}, or set SVC_API_KEY or ${variableOf[surface]}.`
  throw new InputError('missing_key', message, id)
}

const lowerCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
