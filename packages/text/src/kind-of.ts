export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  const kinds: Partial<Record<string, string>> = { string: 'a text', boolean: 'true or false', object: 'an object' }
  return kinds[typeof value] ?? 'a number'
}

/** The fields of a value that have another type than `wanted`. `at`: the JSON pointer of the value. */
export function wrongFields(value: unknown, at: string, wanted: Readonly<Record<string, string>>): string[] {
  if (kindOf(value) !== 'an object') return [`${at} expected an object, found ${kindOf(value)}`.trim()]
  return Object.entries(wanted).flatMap(([name, kind]) => {
    const found = kindOf((value as Record<string, unknown>)[name])
    return found === kind ? [] : [`${at}/${name} expected ${kind}, found ${found}`]
  })
}

/** The items of a list, and their fields, that have another type than `wanted`. */
export function wrongItems(value: unknown, at: string, wanted: Readonly<Record<string, string>>): string[] {
  if (!Array.isArray(value)) return [`${at} expected a list, found ${kindOf(value)}`]
  return value.flatMap((item, i) => wrongFields(item, `${at}/${i}`, wanted))
}
