import { InputError } from './errors.js'

/**
 * Fills the ids of a path in, percent-encoded. An empty id would list instead of read, `.` and `..` would climb to another
 * resource; these, and what is no text at all, are refused.
 */
export const pathWithIds =
  (operation: string) =>
  (template: string, ids: Record<string, unknown>): string => {
    let path = template
    for (let open = path.indexOf('{'); open >= 0; open = path.indexOf('{')) {
      const close = path.indexOf('}', open)
      const name = path.slice(open + 1, close)
      path = path.slice(0, open) + encoded(ids[name], name, operation) + path.slice(close + 1)
    }
    return path
  }

function encoded(id: unknown, name: string, operation: string): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') {
    try {
      return encodeURIComponent(id)
    } catch {
      // Half a surrogate pair has no encoding.
    }
  }
  const came = typeof id === 'string' ? JSON.stringify(id) : typeof id
  throw new InputError('invalid_id', `${operation}: expected an id as ${name}, got ${came}.`, operation)
}
