import { InputError } from './errors.js'

/**
 * An id that is safe as one segment of a path: an empty one would list instead of read, `.` and `..` would climb to
 * another resource. Everything else is percent-encoded when it is sent.
 */
export function pathId(id: string, operation: string): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') return id
  const came = typeof id === 'string' ? JSON.stringify(id) : typeof id
  throw new InputError('invalid_id', `${operation}: expected an id, got ${came}.`, operation)
}
