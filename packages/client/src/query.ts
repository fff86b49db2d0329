import { InputError } from './errors.js'

type Value = string | number | boolean | Date | undefined
type Sent<T> = { [K in keyof T]?: Exclude<T[K], Date | undefined> }

/** Query parameters as they are sent: a `Date` as ISO 8601, nothing for what is undefined. */
export function queryOf<T extends { [K in keyof T]: Value }>(query: T, operation: string): Sent<T> {
  const sent: Record<string, Value> = {}
  for (const [name, value] of Object.entries<Value>(query)) {
    if (value === undefined) continue
    if (value instanceof Date && Number.isNaN(value.getTime())) {
      const violation = { pointer: `/${name}`, message: 'expected a valid date' }
      throw new InputError('invalid_input', `${operation}: ${name} is an invalid Date.`, operation, [violation])
    }
    sent[name] = value instanceof Date ? value.toISOString() : typeof value === 'string' ? wellFormed(value) : value
  }
  return sent as Sent<T>
}

/** Half a surrogate pair has no encoding; it is sent as the character that stands for the unreadable. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')
