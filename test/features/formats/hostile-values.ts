import fc from 'fast-check'

/** Any JSON value, and those that a program takes for something else: names that every object has, a text that is none. */
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>({ toString: false, valueOf: 1 }, { __proto__: null }, 'constructor', '__proto__', [[]], -1),
)

/** Any JSON value, a valid record, or one of whose fields any has been replaced by a value (default: any) or taken out. */
export function hostileValues(
  valid: readonly unknown[],
  value: fc.Arbitrary<unknown> = anyValue,
): fc.Arbitrary<unknown> {
  const changed = fc
    .tuple(fc.constantFrom(...valid), fc.nat(), fc.option(value, { nil: undefined }))
    .map(([record, nth, value]) => changedAt(record, nth, value))
  return fc.oneof(
    { weight: 1, arbitrary: fc.jsonValue() },
    { weight: 1, arbitrary: fc.constantFrom(...valid) },
    { weight: 4, arbitrary: changed },
  )
}

/** A copy of a value of which the nth value inside, in the order of the file, is another one, or gone. */
function changedAt(record: unknown, nth: number, value: unknown): unknown {
  const copy: { root: unknown } = structuredClone({ root: record })
  const places: { holder: Record<string, unknown>; key: string }[] = []
  const visit = (holder: object) => {
    for (const key of Object.keys(holder)) {
      const fields = holder as Record<string, unknown>
      places.push({ holder: fields, key })
      const inner = fields[key]
      if (typeof inner === 'object' && inner !== null) visit(inner)
    }
  }
  visit(copy)
  const place = places[nth % places.length]
  if (!place) return copy.root
  if (value === undefined && !Array.isArray(place.holder)) delete place.holder[place.key]
  else place.holder[place.key] = value ?? null
  return copy.root
}
