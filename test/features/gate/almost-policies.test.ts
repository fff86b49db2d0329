import { runInNewContext } from 'node:vm'
import {
  type AnnotatedTranscript,
  CheckError,
  type CheckInput,
  type CheckOptions,
  check,
  judge,
  readBaseline,
  readPolicy,
} from '@svc/checks'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../helpers/long.js'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

const annotated = (outcome: 'mixed' | 'indeterminate', signal: string): AnnotatedTranscript => ({
  path: `legacy/${outcome}.json`,
  annotation: {
    ...{ annotator: 'structural', annotator_version: '1', taxonomy_version: '1', outcome, outcome_notes: '' },
    signals: { [signal]: { evidence: 'hello', turn: 1 } },
    summary: { title: '', keywords: [], summary: '', quality_concerns: '', user_intent: '', domain: '' },
    usage: { tokens_in: 1, tokens_out: 1, latency_ms: 1 },
  },
})
const transcripts = [annotated('mixed', 'loop'), annotated('indeterminate', 'slow')]

/** The verdict and the result of each transcript; a refusal as such. */
function resultsOf(policy: unknown): string {
  try {
    const { verdict, cases } = judge(transcripts, policy as CheckOptions['policy'])
    return [verdict, ...cases.map(({ result }) => result)].join()
  } catch (error) {
    if (error instanceof CheckError) return `refused ${error.code} ${error.message} ${error.details.join()}`
    throw error
  }
}
const isRefused = (results: string) => results.startsWith('refused invalid_')

const signals = fc.subarray(['loop', 'slow', 'greeting'], { minLength: 1 })
const rules = {
  failOn: fc.constantFrom('strong', 'mixed', 'poor', 'none'),
  forbidden: signals,
  indeterminate: fc.constantFrom('unjudged', 'fail', 'warn', 'ignore'),
}
const policies = fc.record(
  {
    ...rules,
    minJudged: fc.constantFrom('50%', 0, 1),
    rates: fc.constantFrom([{ outcome: 'mixed', max: 0 }], [{ signal: 'loop', max: '10%' }]),
    options: fc.constant({ depth: { most: 2 } }),
    overrides: fc.tuple(fc.record({ files: fc.constant(['legacy/**']), ...rules }, { requiredKeys: ['files'] })),
  },
  { requiredKeys: [] },
)

type Place = (string | number)[]

const placesIn = (value: unknown, at: Place = []): Place[] => [
  at,
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, each]) => placesIn(each, [...at, name]))
    : []),
]

/** A copy of the value with another one at a place. */
function replaced(value: unknown, [step, ...rest]: Place, other: (value: unknown) => unknown): unknown {
  if (step === undefined) return other(value)
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  copy[String(step)] = replaced(copy[String(step)], rest, other)
  return copy
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' ? { ...value } : { value: value as never }
class Empty {}
class List extends Array {}

/** Values that a JSON file could not hold, but that seem to be the same as one. */
const almost: Record<string, (value: unknown) => unknown> = {
  promise: async (value) => value,
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library
  thenable: (value) => Object.assign(new Empty(), { then: (done: (value: unknown) => void) => done(value) }),
  map: (value) => new Map(Object.entries(asObject(value))),
  set: (value) => new Set(Object.values(asObject(value))),
  date: () => new Date(0),
  instance: (value) => Object.assign(new Empty(), value),
  inheriting: (value) => Object.create(asObject(value)),
  'inheriting without Object': (value) => Object.create(Object.assign(Object.create(null), value)),
  'class of getters': (value) => Object.create(Object.create(null, gettersOf(value))),
  getters: (value) => Object.defineProperties({}, gettersOf(value)),
  hidden: (value) => Object.defineProperties({}, hiddenOf(value)),
  symbols: (value) => ({ [Symbol('rules')]: value }),
  function: (value) => () => value,
  toJSON: (value) => ({ toJSON: () => value }),
  boxed: (value) => Object(typeof value === 'object' ? 'text' : value),
  bigint: () => 1n,
  nan: () => Number.NaN,
  list: (value) => List.from([value].flat()),
  'list with a gap': (value) => Object.assign(new Array(3), [value].flat()),
  'list with a name': (value) => Object.assign([value].flat(), { failOn: 'strong' }),
  circle(value) {
    const circle = asObject(value)
    circle.again = circle
    return circle
  },
  'proxy that changes'(value) {
    let reads = 0
    return new Proxy(asObject(value), { ownKeys: (target) => (reads++ > 0 ? [] : Reflect.ownKeys(target)) })
  },
  'proxy that throws': () =>
    new Proxy({}, { ownKeys: () => { throw new TypeError('no') } }), // biome-ignore format: one line
}
const gettersOf = (value: unknown): PropertyDescriptorMap =>
  mapped(value, (each) => ({ get: () => each, enumerable: true }))
const hiddenOf = (value: unknown): PropertyDescriptorMap => mapped(value, (each) => ({ value: each }))
const mapped = (value: unknown, map: (value: unknown) => PropertyDescriptor): PropertyDescriptorMap =>
  Object.fromEntries(Object.entries(asObject(value)).map(([name, each]) => [name, map(each)]))

/** Other objects with the same data. */
const plain: Record<string, (value: unknown) => unknown> = {
  frozen: (value) => Object.freeze(value),
  'without a prototype': (value) => (isRecord(value) ? Object.assign(Object.create(null), value) : value),
  'of another realm': (value) => runInNewContext('JSON.parse(text)', { text: JSON.stringify(value) }),
  proxy: (value) => (typeof value === 'object' && value !== null ? new Proxy(value, {}) : value),
  'with an undefined field': (value) => (isRecord(value) ? { ...value, deadline: undefined } : value),
  module: (value) => (isRecord(value) ? Object.defineProperty({ ...value }, '__esModule', { value: true }) : value),
}
const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const withPlace = policies.chain((policy) =>
  fc.record({ policy: fc.constant(policy), place: fc.constantFrom(...placesIn(policy)) }),
)

describe('a policy in code', () => {
  it('never gives another verdict than the same policy as JSON: it gives the same one, or is refused', () => {
    const some = fc.constantFrom(...Object.keys(almost))
    fc.assert(
      fc.property(withPlace, some, ({ policy, place }, kind) => {
        const results = resultsOf(replaced(policy, place, almost[kind] as () => unknown))
        if (!isRefused(results)) expect(results).toBe(resultsOf(policy))
      }),
      { numRuns: runs(500) },
    )
  })

  it('is the same policy if it is plain data of another realm, frozen, a module or without a prototype', () => {
    const some = fc.constantFrom(...Object.keys(plain))
    fc.assert(
      fc.property(withPlace, some, ({ policy, place }, kind) => {
        expect(resultsOf(replaced(policy, place, plain[kind] as () => unknown))).toBe(resultsOf(policy))
      }),
      { numRuns: runs(150) },
    )
  })

  it('is refused with any value in any place that JSON cannot express', () => {
    const anything = fc.anything({
      ...{ withBigInt: true, withBoxedValues: true, withDate: true, withMap: true, withNullPrototype: true },
      ...{ withObjectString: true, withSet: true, withSparseArray: true, withTypedArray: true },
      values: [
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constantFrom(null, undefined, Number.NaN, 1n, Symbol.iterator),
      ],
    })
    fc.assert(
      fc.property(withPlace, anything, ({ policy, place }, value) => {
        const changed = replaced(policy, place, () => value)
        if (isRefused(resultsOf(changed))) return
        expect(changed ?? {}).toEqual(JSON.parse(JSON.stringify(changed ?? {})))
      }),
      { numRuns: runs(500) },
    )
  })

  it.each<[string, unknown, string]>([
    ['a promise', (async () => ({ failOn: 'strong' }))(), 'found a promise; await it'],
    ['rules of a Map', { rules: new Map() }, '/rules expected plain data as in JSON, found an object of the class Map'],
    [
      'a rule of a promise',
      { rules: { r: (async () => 'bad')() } },
      '/rules/r expected plain data as in JSON, found a promise',
    ],
    ['a list of rules', { rules: [() => 'bad', () => 'bad', 7] }, '/rules expected an object of functions by name'],
    ['a text as a rule', { rules: { r: 'bad' } }, '/rules/r expected a function'],
    [
      'a function in a list',
      { forbidden: ['loop', () => 'slow'] },
      '/forbidden/1 expected plain data as in JSON, found a function',
    ],
    ['a list to extend', { extends: ['./base.json'] }, '/extends expected the path of a policy'],
    [
      'the fields of a policy file',
      { hash: 'a', path: 'svc.checks.json', policy: { failOn: 'strong' } },
      '/hash unknown name',
    ],
  ])('is refused with its place: %s', (_, policy, said) => {
    expect(resultsOf(policy)).toContain(said)
  })
})

const hello: CheckInput = { path: 'a.json', transcript: [{ role: 'user', content: 'hello' }] }

describe('a check', () => {
  it.each<[string, object, string]>([
    [
      'a policy that nobody awaits',
      { policy: Promise.resolve({ failOn: 'strong' }) },
      'expected policy .* await the promise',
    ],
    [
      'a part of a policy file',
      { policy: { hash: 'a', path: 'p', rules: {} } },
      'policy cannot be used|check: the policy',
    ],
    [
      'a baseline that nobody awaits',
      { baseline: Promise.resolve(undefined) },
      'expected baseline .* await the promise',
    ],
    ['a baseline of a class', { baseline: new (class { transcripts = [] })() }, 'baseline cannot be used: expected plain'], // biome-ignore format: one line
    ['a baseline without its versions', { baseline: { transcripts: [] } }, 'baseline cannot be used'],
    ['a cache that nobody awaits', { cache: Promise.resolve({}) }, 'expected cache .* await the promise'],
    ['options in a Map', { options: { depth: new Map() } }, 'check: /options/depth expected plain data'],
    ['an inherited shard', { shard: Object.create({ index: 0, of: 2 }) }, 'check: /shard expected plain data'],
    [
      'a message that inherits its content',
      { transcripts: [hello, { path: 'b', transcript: [Object.create({ role: 'user', content: 'hi' })] }] },
      String.raw`transcripts\[1\]: /transcript/0 expected plain data`,
    ],
    ['a record of no number', { transcripts: [{ ...hello, record: '2' }] }, 'expected record and part from 1'],
  ])('refuses what is no plain data, with its place: %s', async (_, given, message) => {
    const { client, fetch, asked } = scriptedShell()
    const options = { client: client({ fetch }), annotator: 'structural', transcripts: [hello], ...given }
    await expect(check(options)).rejects.toMatchObject({
      code: expect.stringMatching(/^invalid_/),
      message: expect.stringMatching(message),
    })
    expect(asked).toEqual([])
  })

  it('is not made without a baseline or a policy whose path is no text, as of a variable that is not set', async () => {
    for (const path of [undefined, '', ['t'], false, Promise.resolve('p.json')] as never[])
      for (const read of [readBaseline, readPolicy])
        await expect(read(path)).rejects.toMatchObject({
          code: 'invalid_option',
          message: expect.stringMatching(/^read(Policy|Baseline): expected the path of a file\.$/),
        })
  })

  it('does not let a program change a policy file after it is read', async () => {
    const files = {
      resolve: (path: string) => path,
      isThere: () => true,
      readFile: async () => new TextEncoder().encode('{ "failOn": "critical" }'),
    }
    const policy = (await readPolicy('svc.checks.json', { files })) as { annotator?: string }
    expect(() => {
      policy.annotator = 'patterns'
    }).toThrow(TypeError)
  })
})
