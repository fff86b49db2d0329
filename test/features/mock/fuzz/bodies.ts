import fc from 'fast-check'

/** Bodies that operations take. */
export const project = { name: 'A project', domain: 'general' }
export const upload = {
  name: 'A conversation',
  turns: [
    { role: 'user', content: 'Where is order 7?' },
    { role: 'assistant', content: 'On its way.', toolCalls: [{ name: 'look', args: { id: 7 } }], metadata: { a: 1 } },
    { role: 'tool', content: '', toolResults: [{ name: 'look', result: null }], createdAt: '2026-01-01T00:00:00Z' },
  ],
  modelName: 'm',
  language: 'en',
  sourceSystem: 's',
  externalId: 'e',
  externalUserId: 'u',
  metadata: { ticket: 1 },
  sourceTimestamp: '2026-01-01T00:00:00Z',
  process: true,
}
export const annotation = {
  annotator: 'structural',
  transcript: [
    { role: 'user', content: 'Hi', is_user_visible: true },
    { role: 'assistant', content: 'Sorry, I cannot.' },
  ],
  options: { x: [1] },
}

const odd: unknown[] = [
  null,
  true,
  -1,
  1e21,
  0.5,
  '',
  'x'.repeat(501),
  '\ud800',
  '\u0000',
  [],
  {},
  [null],
  '2026-02-30',
  '2026',
]

const value = fc.oneof(
  { arbitrary: fc.constantFrom(...odd), weight: 3 },
  { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 2 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 40 }), weight: 1 },
)

/** The path of a part of a value: keys from the root on. */
type Place = (string | number)[]

function placesIn(root: unknown, at: Place = []): Place[] {
  const below = typeof root === 'object' && root !== null ? Object.entries(root) : []
  return [at, ...below.flatMap(([key, child]) => placesIn(child, [...at, Array.isArray(root) ? Number(key) : key]))]
}

/** The value with another at one place, or with nothing there. */
function changed(root: unknown, [key, ...rest]: Place, put: unknown): unknown {
  if (key === undefined) return put
  if (Array.isArray(root) && typeof key === 'string') return [...root, put]
  const copy: Record<string | number, unknown> = Array.isArray(root) ? ([...root] as never) : { ...(root as object) }
  const child = changed(copy[key], rest, put)
  if (child === undefined) delete copy[key]
  // Never through the setter, by which a key `__proto__` would change the prototype.
  else Object.defineProperty(copy, key, { value: child, enumerable: true, writable: true, configurable: true })
  return copy
}

/** The body with something else at one place, or something more, or less. */
const mutated = (body: object) =>
  fc
    .tuple(
      fc.constantFrom(...placesIn(body)),
      fc.option(value, { nil: undefined }),
      fc.option(fc.string({ maxLength: 12 })),
    )
    .map(
      ([place, put, extra]) =>
        JSON.stringify(changed(body, extra === null ? place : [...place.slice(0, -1), extra], put)) ?? '',
    )

const deep = fc
  .tuple(
    fc.constantFrom('metadata', 'options', 'turns', 'name'),
    fc.constantFrom('[', '{"a":'),
    fc.constantFrom(3, 499, 5000, 50_000),
  )
  .map(([key, open, depth]) => {
    const nested = `${open.repeat(depth)}1${(open === '[' ? ']' : '}').repeat(depth)}`
    return `{"name":"n","turns":[{"role":"user","content":"x"}],"annotator":"structural","transcript":[],"${key}":${nested}}`
  })

/** Bodies like a right one: itself, mutations of it, any JSON, JSON that is cut off, and bytes. */
export function bodiesLike(right: object): fc.Arbitrary<Buffer> {
  const text = (arbitrary: fc.Arbitrary<string>) => arbitrary.map((json) => Buffer.from(json))
  const cut = fc.tuple(mutated(right), fc.nat(400)).map(([json, at]) => Buffer.from(json).subarray(0, at))
  return fc.oneof(
    { arbitrary: fc.constant(Buffer.from(JSON.stringify(right))), weight: 5 },
    { arbitrary: text(mutated(right)), weight: 10 },
    { arbitrary: text(fc.json({ maxDepth: 4 })), weight: 2 },
    { arbitrary: text(deep), weight: 1 },
    { arbitrary: cut, weight: 1 },
    { arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)), weight: 1 },
    { arbitrary: fc.constant(Buffer.alloc(0)), weight: 1 },
  )
}
