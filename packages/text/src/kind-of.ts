export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  const kinds: Partial<Record<string, string>> = { string: 'a text', boolean: 'true or false', object: 'an object' }
  return kinds[typeof value] ?? 'a number'
}
