import { InputError } from './errors/index.js'

/** Headers to change, with names in any case: undefined keeps a header, null removes it. */
export type HeaderChange = Record<string, string | null | undefined>

export function mergeHeaders(base: Record<string, string>, change: HeaderChange = {}): Record<string, string> {
  const merged = { ...base }
  for (const [given, value] of Object.entries(change)) {
    const name = given.toLowerCase()
    if (value === null) delete merged[name]
    else if (value !== undefined) merged[name] = headerValue(name, value)
  }
  return merged
}

/** The error does not show the value, which may be a secret. */
function headerValue(name: string, given: string): string {
  const value = String(given).trim()
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value
  throw new InputError('invalid_input', `options: the header ${JSON.stringify(name)} cannot be sent.`, 'options')
}
