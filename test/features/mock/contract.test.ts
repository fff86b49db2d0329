import {
  type ContractOptions,
  type ContractResult,
  compareContracts,
  contract,
  driftText,
  planContract,
  readContract,
  seenAmbiguities,
} from '@svc/reference-server/contract'
import {
  ambiguityValues,
  createServer,
  defaultAmbiguities,
  type FaultRule,
  type SavedService,
  steeredClock,
} from '@svc/reference-server/core'
import type { AllAmbiguities } from '@svc/reference-server/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { casesOf, isLong } from '../../helpers/long.js'

const pollMs = 1000

/** Keys of every kind. Those of the surfaces are accepted on the other one only where keys are not separate. */
const keys = {
  annotation: 'sk-service-api03-annotation-1',
  workspace: 'sk-service-api03-workspace-01',
  reader: 'sk-service-api03-reader-00001',
  writer: 'sk-service-api03-writer-00001',
  legacy: 'sk-legacy-api03-legacy-000001',
  foreign: 'sk-service-api03-foreign-0001',
  revoked: 'sk-service-api03-revoked-0001',
}

const seed = {
  workspaces: ['reference', 'other'],
  keys: [
    { key: keys.annotation, surfaces: ['annotation' as const] },
    { key: keys.workspace, surfaces: ['workspace' as const] },
    { key: keys.reader, permissions: ['projects-read' as const] },
    { key: keys.writer, permissions: ['projects-write' as const] },
    { key: keys.legacy, permissions: ['halfpipe-transcripts-write' as const] },
    { key: keys.foreign, workspace: 'other' },
    { key: keys.revoked },
  ],
  projects: [{ workspace: 'other', name: 'Of others' }],
}

interface Mock {
  ambiguities?: Partial<AllAmbiguities>
  /** The numbers of requests whose successes arrive without a body. */
  emptied?: { from: number; to: number } | undefined
  like?: SavedService
  faults?: readonly FaultRule[]
}

/** A service whose time passes only by requests, a millisecond each, and by waits. */
function started({ ambiguities = {}, like, faults = [], emptied = { from: 0, to: 0 } }: Mock) {
  let requests = 0
  const clock = steeredClock()
  clock.stop()
  const options = { clock, ambiguities, faults, seed, journalSize: 0, ...(like && { like }) }
  const server = createServer({ ...options, onError: (error) => expect.fail(String(error)) })
  server.world.revoke(keys.revoked)
  const waiting = {
    now: clock.now,
    monotonic: clock.monotonic,
    after(ms: number, callback: () => void) {
      clock.advance(ms)
      callback()
      return () => {}
    },
  }
  const measure = (more: Partial<ContractOptions> = {}) =>
    contract({
      async fetch(url, init) {
        clock.advance(1)
        const response = await server.fetch(url, init)
        const isEmptied = ++requests > emptied.from && requests <= emptied.to && response.ok
        if (!isEmptied) return response
        const { status, headers } = response
        return new Response('', { status, headers: { ...Object.fromEntries(headers), 'content-length': '0' } })
      },
      baseUrl: server.baseUrl,
      publicBaseUrl: server.publicBaseUrl,
      keys,
      clock: waiting,
      pollMs,
      createProjects: true,
      ...more,
    })
  return { server, measure }
}

const values = Object.fromEntries(
  seenAmbiguities.map((name) => [name, ambiguityValues[name] as readonly unknown[] | undefined]),
)

/** The readings of ambiguities that are numbers; the default is the first. */
const numbers: Readonly<Record<string, readonly number[]>> = {
  turnBytes: [2 ** 20, 10 ** 6],
  bodyBytes: [5 * 2 ** 20, 5 * 10 ** 6],
  totalCap: [100, 3, 51, 500],
  pageCap: [0, 10, 25],
  listLagMs: [0, 3000, 8000],
  filterLagMs: [10_000, 2000, 20_000],
}

const readingsOf = (name: string) => values[name] ?? numbers[name] ?? []

const drawn: fc.Arbitrary<Partial<AllAmbiguities>> = fc.record({
  ...Object.fromEntries(seenAmbiguities.map((name) => [name, fc.constantFrom(...readingsOf(name))])),
  totalLags: fc.boolean(),
  databaseSkewMs: fc.constantFrom(0, -300_000, 3_600_000),
})

/** True if a run saw what the mock does. A lag is right to one poll; the requests of a poll take some time, too. */
function isRight(name: keyof AllAmbiguities, seen: unknown, mock: Partial<AllAmbiguities>): boolean {
  const all = { ...defaultAmbiguities, ...mock }
  const isLag = name === 'listLagMs' || name === 'filterLagMs'
  if (isLag) return Math.abs(Number(seen) - all[name]) <= pollMs + 200
  // Not a difference that anybody could see: the list is shorter than the cap.
  if (name === 'total' && seen === 'exact' && all.total === 'capped') return all.totalCap > 200
  return seen === all[name]
}

function wrongReadings({ ambiguities }: ContractResult, mock: Partial<AllAmbiguities>): string[] {
  return Object.entries(ambiguities).flatMap(([name, seen]) =>
    'reading' in seen && !isRight(name as keyof AllAmbiguities, seen.reading, mock)
      ? [`${name}: saw ${seen.reading}`]
      : [],
  )
}

/** The rules that a reading departs from: the interface says otherwise. */
function departures(mock: Partial<AllAmbiguities>): RegExp[] {
  const { healthNeedsKey, errorBody, created, pagination, total, filters } = { ...defaultAmbiguities, ...mock }
  return [
    ...(healthNeedsKey ? [/^GET \/health needs no key/] : []),
    ...(errorBody === 'envelope' ? [] : [/has the envelope of its errors|shows its type/]),
    ...(created === 201 ? [] : [/answered with 201/]),
    ...(pagination === 'full' && total !== 'none' ? [] : [/^lists show page, limit and total/]),
    ...(filters === 'ignored' || filters === 'refused'
      ? [/keeps the transcripts|q finds|is inclusive|finds nothing/]
      : []),
    ...(filters === 'days only' ? [/is inclusive/] : []),
  ]
}

const wrongRules = ({ rules }: ContractResult, mock: Partial<AllAmbiguities>): string[] =>
  rules
    .filter(({ name, result }) => result === 'different' && !departures(mock).some((rule) => rule.test(name)))
    .map(({ name, reason }) => `${name}: ${reason}`)

const runs = isLong ? 2000 : 2

it(`sees no reading but that of the service, and a mock in its image answers alike: ${runs} services`, async () => {
  const property = fc.asyncProperty(drawn, fc.boolean(), async (ambiguities, createProjects) => {
    const result = await started({ ambiguities }).measure({ createProjects })
    expect([...wrongReadings(result, ambiguities), ...wrongRules(result, ambiguities)]).toEqual([])
    const like = JSON.parse(JSON.stringify(result))
    const again = await started({ like }).measure({ createProjects })
    expect(compareContracts(result, again).compared.filter((each) => each.result !== 'same')).toEqual([])
  })
  await fc.assert(property, { numRuns: runs })
}, 36_000_000)

/** Readings that hide each other are in different rounds. The others go round by round through theirs. */
const rounds: readonly Partial<AllAmbiguities>[] = [
  { pagination: 'full', total: 'exact', filters: 'on', pageCap: 0, listLagMs: 0 },
  { pagination: 'text', total: 'capped', totalCap: 51, filters: 'lagging', pageCap: 10, listLagMs: 3000 },
  { pagination: 'full', total: 'low', filters: 'ignored', pageCap: 25, listLagMs: 0 },
  { pagination: 'full', total: 'minus one', filters: 'refused', pageCap: 0, listLagMs: 8000 },
  { pagination: 'full', total: 'none', filters: 'days only', pageCap: 0, listLagMs: 0 },
  { pagination: 'full', total: 'of the page', filters: 'on', pageCap: 0, listLagMs: 0 },
  { pagination: 'none', total: 'exact', filters: 'on', pageCap: 10, listLagMs: 0 },
]

it('sees every reading of every ambiguity that it asks for, but whether keys are not separate', async () => {
  const missing = new Set(seenAmbiguities.flatMap((name) => readingsOf(name).map((reading) => `${name}: ${reading}`)))
  for (const [round, fixed] of rounds.entries()) {
    const cycled = seenAmbiguities.map((name) => [name, readingsOf(name)[round % readingsOf(name).length]])
    const mock: Partial<AllAmbiguities> = { ...Object.fromEntries(cycled), filterLagMs: 10_000, totalCap: 51, ...fixed }
    const result = await started({ ambiguities: mock }).measure({ sizes: round < 2 })
    expect(wrongReadings(result, mock)).toEqual([])
    for (const [name, seen] of Object.entries(result.ambiguities))
      if ('reading' in seen) missing.delete(`${name}: ${mock[name as keyof AllAmbiguities]}`)
  }
  const others = /^(listLagMs: 0|totalCap: (?!51)|filterLagMs: (?!10000)|separateKeys: false)/
  expect([...missing].filter((each) => !others.test(each))).toEqual([])
}, 120_000)

const someFault: fc.Arbitrary<FaultRule> = fc.record({
  skip: fc.integer({ min: 0, max: 600 }),
  times: fc.integer({ min: 1, max: 40 }),
  kind: fc.constantFrom('reset-before', 'reset-after', 'lost', 'truncate'),
}) as fc.Arbitrary<FaultRule>
const statusFault: fc.Arbitrary<FaultRule> = fc
  .record({ skip: fc.integer({ min: 0, max: 600 }), times: fc.integer({ min: 1, max: 40 }) })
  .chain((rule) => fc.constantFrom(503, 408, 499).map((code) => ({ ...rule, kind: 'status' as const, code })))
/** The page of a gateway. Where the service answers errors with pages, too, nobody can tell them apart. */
const gatewayFault: fc.Arbitrary<FaultRule> = fc
  .record({ skip: fc.integer({ min: 5, max: 600 }), times: fc.integer({ min: 1, max: 20 }) })
  .map((rule) => ({ ...rule, kind: 'waf' as const }))
const limitFault: fc.Arbitrary<FaultRule> = fc
  .record({ skip: fc.integer({ min: 0, max: 600 }), ms: fc.constantFrom(2000, 30_000, 200_000) })
  .map((rule) => ({ ...rule, kind: 'limited' as const }))

it(`a service with faults gives "not tried", never a wrong reading or rule: ${runs} services`, async () => {
  const faults = fc.array(fc.oneof(someFault, statusFault, limitFault, gatewayFault), { minLength: 1, maxLength: 4 })
  const emptied = fc.option(
    fc.tuple(fc.nat(400), fc.nat(30)).map(([from, many]) => ({ from, to: from + many })),
    { nil: undefined },
  )
  const property = fc.asyncProperty(drawn, faults, emptied, async (given, rules, emptied) => {
    const hasPages = rules.some(({ kind }) => kind === 'waf') && given.errorBody === 'html'
    const ambiguities: Partial<AllAmbiguities> = hasPages ? { ...given, errorBody: 'text' } : given
    const measured = await started({ ambiguities, faults: rules, emptied })
      .measure()
      .catch((error: unknown) => {
        expect(error).toMatchObject({
          name: 'ContractError',
          code: expect.stringMatching(/unavailable|not_the_service/),
        })
        return undefined
      })
    if (measured) expect([...wrongReadings(measured, ambiguities), ...wrongRules(measured, ambiguities)]).toEqual([])
  })
  // A wait in the middle of a poll once looked like a short lag.
  const waiting: FaultRule[] = [{ kind: 'limited', skip: 116, ms: 30_000 }]
  await fc.assert(property, { numRuns: runs, examples: [[{ filters: 'lagging' }, waiting, undefined]] })
}, 36_000_000)

it('refuses a key that the annotation surface does not take, also where its registry is public', async () => {
  const { server, measure } = started({ ambiguities: { annotatorsNeedKey: false, separateKeys: true } })
  const before = [...server.world.allProjects()].length
  const refused = measure({ keys: { ...keys, annotation: keys.workspace } })
  await expect(refused).rejects.toMatchObject({
    code: 'authentication',
    message: expect.stringContaining('/v1/batches'),
  })
  expect([...server.world.allProjects()]).toHaveLength(before)
})

it.each<[string, Partial<ContractOptions>, string]>([
  ['a key with a line break', { keys: { ...keys, workspace: 'sk-service-api03-abc\ndefghijkl' } }, 'abc'],
  ['a base URL with a password', { baseUrl: 'http://user:s3cr3tpw@svc.test' }, 's3cr3tpw'],
  ['a project that is not there', { project: 'hp-00000000-0000-4000-8000-00000000000a' }, 'sk-'],
])('refuses %s before anything is created, and prints no secret', async (_, options, secret) => {
  const { measure } = started({})
  const error = await measure(options).catch((error: unknown) => error)
  expect(error).toMatchObject({ name: 'ContractError', code: 'input' })
  expect(String((error as Error).message)).not.toContain(secret)
})

const counted: [string, Partial<AllAmbiguities>][] = [
  ['the defaults', {}],
  [
    'all of these',
    { compressedBodies: true, total: 'capped', totalCap: 51, lenientQueries: true, externalIdUnique: true },
  ],
  ['compressed bodies', { compressedBodies: true }],
  ['a low total', { total: 'low' }],
  ['a capped total', { total: 'capped', totalCap: 51 }],
]

it.each(casesOf(counted, 2))('creates no more than it announces, at a service with %s', async (_, ambiguities) => {
  const options = {
    baseUrl: 'https://svc.test',
    publicBaseUrl: 'https://svc.test/public/api/v1',
    keys,
    createProjects: true,
  }
  const most = await planContract(options)
  const { server, measure } = started({ ambiguities })
  const before = [[...server.world.allProjects()].length, [...server.world.allTranscripts()].length]
  await measure({ most })
  const after = [[...server.world.allProjects()].length, [...server.world.allTranscripts()].length]
  const [projects = 0, transcripts = 0] = after.map((count, at) => count - (before[at] ?? 0))
  expect(projects).toBeLessThanOrEqual(most.projects)
  expect(transcripts).toBeLessThanOrEqual(most.transcripts)
  // The limit costs next to nothing.
  expect(transcripts).toBeGreaterThan(most.transcripts - 10)
})

it('keeps nothing of other projects in its result', async () => {
  const { server, measure } = started({ ambiguities: { pagination: 'none', order: 'ascending' } })
  server.world.createProject({ name: 'Of a customer' })
  const result = await measure()
  expect(result.rules.some(({ result }) => result === 'different')).toBe(true)
  expect(JSON.stringify(result)).not.toContain('Of a customer')
})

it('names a rule that differs for another reason than before, which decides nothing', async () => {
  const before = await started({ ambiguities: { errorBody: 'detail' } }).measure()
  const same = await started({ ambiguities: { errorBody: 'detail' } }).measure()
  expect(compareContracts(before, same).verdict).toBe('same')
  const changed = {
    ...same,
    rules: same.rules.map((rule) => (rule.result === 'different' ? { ...rule, reason: 'another reason' } : rule)),
  }
  const drift = compareContracts(before, changed)
  expect([drift.verdict, driftText(drift)]).toEqual(['same', expect.stringContaining('same, for another reason: ')])
})

it('reads no saved service that is not one', async () => {
  const saved = await started({}).measure({ only: 'annotation' })
  expect(readContract(JSON.parse(JSON.stringify(saved)))).toEqual(JSON.parse(JSON.stringify(saved)))
  const rules = saved.rules.map((rule) => ({ ...rule, result: 'fine' }))
  for (const wrong of [{ at: undefined }, { at: 5 }, { at: 'then' }, { poll_ms: -1 }, { rules }, { rules: {} }])
    expect(() => readContract({ ...saved, ...wrong })).toThrow('Not a saved service')
})
