/** A value for a field, after its description. */
export type Sent = readonly [what: string, value: unknown]

const values: Readonly<Record<string, unknown>> = {
  null: null,
  'a string': 'text',
  'a number': 7,
  true: true,
  'an object': { a: 1 },
  'an array': ['a'],
}

/** A value of every type of JSON but one. */
export const allBut = (type: keyof typeof values): Sent[] => Object.entries(values).filter(([name]) => name !== type)

/** ISO 8601 dates and date-times, in the forms that a careless check would miss. */
export const isoTimes: readonly string[] = [
  '2026-03-01',
  '2026-03-01T10:20:30Z',
  '2026-03-01T10:20:30.123Z',
  '2026-03-01T10:20:30.123456Z',
  '2026-03-01T10:20:30+02:00',
  '2026-03-01T10:20:30-11:30',
  '2024-02-29T00:00:00Z',
  '1970-01-01T00:00:00Z',
]

/** Texts that are no ISO 8601 date or date-time. */
export const noTimes: readonly string[] = [
  '',
  'yesterday',
  '1767225600000',
  '2026-13-01T00:00:00Z',
  '2026-02-30',
  '2025-02-29T00:00:00Z',
  '2026-01-01T25:00:00Z',
  '2026-01-01T10:61:00Z',
  '01/02/2026',
  'Thu, 01 Jan 2026 00:00:00 GMT',
]
