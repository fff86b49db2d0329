export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The first elements of a list, which are enough to recognize a format. */
export function sampleOf(list: unknown): readonly unknown[] {
  return asList(list).slice(0, 50)
}

export function objectsOf(list: unknown): JsonObject[] {
  return asList(list).filter(isObject)
}

export function hasAny(object: JsonObject, fields: ReadonlySet<string>): boolean {
  for (const key in object) if (fields.has(key)) return true
  return false
}

export function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce((at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined), value)
}

export function objectAt(value: unknown, steps: readonly string[]): JsonObject {
  return asObject(valueAt(value, steps))
}

/** The value if it is a text that is not empty, or a number in the place of a text, as it is written. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function textsAt(object: JsonObject, fields: readonly string[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const field of fields) {
    const text = textOf(object[field])
    if (text !== undefined) texts[field] = text
  }
  return texts
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/)
}

/** The set of the words of a text, and of more words. */
export function wordSet(words: string, more: readonly string[] = []): ReadonlySet<string> & ReadonlySet<unknown> {
  return new Set([...wordsOf(words), ...more])
}

/** Map each of the words, separated by blanks, to its key: `{ user: 'human user' }`. */
export function wordMap<Key extends string>(words: Readonly<{ [K in Key]?: string }>): ReadonlyMap<unknown, Key> {
  const entries = Object.entries(words) as [Key, string][]
  return new Map(entries.flatMap(([key, list]) => wordsOf(list).map((word) => [word, key] as const)))
}

/** A value in a few words for a message: `an object with keys a, b, c`, `null`, `the string "abc"`. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty array'
    return `an array of ${value.length} whose first element is ${Array.isArray(value[0]) ? 'an array' : describe(value[0])}`
  }
  if (isObject(value)) {
    const keys = Object.keys(value)
    const ending = keys.length > 8 ? ` and ${keys.length - 8} more` : ''
    const shown = keys.slice(0, 8).map((key) => short(key))
    return keys.length === 0 ? 'an empty object' : `an object with keys ${shown.join(', ')}${ending}`
  }
  if (typeof value === 'string') return `the string ${JSON.stringify(short(value))}`
  return value === null ? 'null' : `the ${typeof value} ${value}`
}

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

export function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}

export function defined<T extends object>(fields: AllowUndefined<T>): T {
  const present: Partial<AllowUndefined<T>> = {}
  for (const key in fields) if (fields[key] !== undefined) present[key] = fields[key]
  return present as T
}

/** The same fields, of which the optional ones may also be undefined. */
export type AllowUndefined<T> = { [K in keyof T]: Partial<Pick<T, K>> extends Pick<T, K> ? T[K] | undefined : T[K] }
