import fc from 'fast-check'

/** Keys of two workspaces: all but `foreign` are of ours. */
export const keyNames = ['full', 'reader', 'writer', 'legacy', 'foreign'] as const
export type KeyName = (typeof keyNames)[number]

/** The fields of an upload; undefined ones are not sent. */
export interface Uploaded {
  name: string
  contents: readonly string[]
  language?: string | undefined
  sourceTimestamp?: string | undefined
  process?: boolean | undefined
}

/** The query of a list; undefined parameters are not sent. */
export interface Listed {
  page?: number | undefined
  limit?: number | undefined
  q?: string | undefined
  language?: string | undefined
  date_from?: string | undefined
  date_to?: string | undefined
}

/** One thing that happens. Projects and transcripts are named by their places; see `placed`. */
export type Step =
  | { do: 'create project'; key: KeyName; name: string; legacy: boolean }
  | { do: 'list projects'; key: KeyName; query: Pick<Listed, 'page' | 'limit'> }
  | { do: 'read project'; key: KeyName; project: number }
  | { do: 'upload'; key: KeyName; project: number; upload: Uploaded; legacy: boolean }
  | { do: 'list transcripts'; key: KeyName; project: number; query: Listed }
  | { do: 'read transcript'; key: KeyName; transcript: number }
  | { do: 'annotate'; key: KeyName }
  | { do: 'revoke'; key: KeyName }
  | { do: 'restore'; key: KeyName }
  | { do: 'delete'; key: KeyName }
  | { do: 'wait'; ms: number }

/** The item at a place in the order of creation, modulo their number; undefined for -1. */
export const placed = <T>(all: readonly T[], place: number): T | undefined =>
  place < 0 ? undefined : all[place % all.length]

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)
/** One value most of the time, and else one of some others: what is refused shows little of what is stored. */
const mostly = <T>(value: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: oneOf(...others) })
const maybe = <T>(...values: readonly T[]) => oneOf<T | undefined>(undefined, ...values)

const anyKey = oneOf(...keyNames)
const key = fc.oneof({ weight: 3, arbitrary: fc.constant('full' as const) }, { weight: 1, arbitrary: anyKey })
const place = oneOf(0, 1, 2, 3, 4, 5, 6, -1)
const name = mostly('P', '')
const legacy = mostly(false, true)
const content = oneOf('an order', 'Order 7', 'the BILL', 'ünïcode', '')
const times = ['2026-01-01', '2026-01-01T12:00:00Z', '2026-01-02T01:00:00+02:00', '2026-01-02T23:59:59.999Z']
const bounds = ['2026-01-01', '2026-01-01T12:00:00Z', '2026-01-01T23:00:00Z', '2026-01-02', 'never']
const page = mostly<number | undefined>(undefined, 0, 1, 2, 3)
const limit = mostly<number | undefined>(undefined, 1, 2, 3, 100, 101)

const upload: fc.Arbitrary<Uploaded> = fc.record({
  name,
  contents: fc.oneof(
    { weight: 9, arbitrary: fc.array(content, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constant([]) },
  ),
  language: maybe('de', 'en'),
  sourceTimestamp: maybe(...times),
  process: maybe(true, false),
})
const listed: fc.Arbitrary<Listed> = fc.record({
  page,
  limit,
  q: mostly<string | undefined>(undefined, 'order', 'ORDER 7', 'bill order', 'ÜNÏ'),
  language: mostly<string | undefined>(undefined, 'de', 'en'),
  date_from: mostly<string | undefined>(undefined, ...bounds),
  date_to: mostly<string | undefined>(undefined, ...bounds),
})

const is = <T extends string>(what: T) => fc.constant(what)

/** Any number of steps, most of them such as change or show something. */
export const someSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: is('create project'), key, name, legacy }) },
    { weight: 3, arbitrary: fc.record({ do: is('list projects'), key, query: fc.record({ page, limit }) }) },
    { weight: 3, arbitrary: fc.record({ do: is('read project'), key, project: place }) },
    { weight: 12, arbitrary: fc.record({ do: is('upload'), key, project: place, upload, legacy }) },
    { weight: 10, arbitrary: fc.record({ do: is('list transcripts'), key, project: place, query: listed }) },
    { weight: 3, arbitrary: fc.record({ do: is('read transcript'), key, transcript: place }) },
    { weight: 1, arbitrary: fc.record({ do: is('annotate'), key }) },
    { weight: 1, arbitrary: fc.record({ do: is('revoke'), key: anyKey }) },
    { weight: 2, arbitrary: fc.record({ do: is('restore'), key: anyKey }) },
    { weight: 1, arbitrary: fc.record({ do: is('delete'), key: anyKey }) },
    { weight: 3, arbitrary: fc.record({ do: is('wait'), ms: oneOf(1, 1000) }) },
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
)
