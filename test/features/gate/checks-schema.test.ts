import { posix } from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  defaultPolicy,
  defaults,
  policyChecks,
  policyInForce,
  policyJsonSchema,
  policyKeys,
  readPolicyFile,
} from '../../../packages/checks/src/policy/index.js'
import { runs } from '../../helpers/long.js'

const accepts = new Ajv({ strict: true, strictRequired: false }).compile(policyJsonSchema())

const share = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.constantFrom('0%', '5%', '12.50 %', '100%', '100.0%'),
)
const level = fc.constantFrom('strong', 'mixed', 'poor', 'critical')
const signal = fc.constantFrom('loop', 'slow', 'greeting')
const signals = fc.array(signal, { maxLength: 2 })
const rules = {
  failOn: fc.oneof(level, fc.constant('none')),
  forbidden: signals,
  allowed: signals,
  required: signals,
  indeterminate: fc.constantFrom('unjudged', 'fail', 'warn', 'ignore'),
}
const rate = fc.oneof(fc.record({ outcome: level, max: share }), fc.record({ signal, max: share }))
const pattern = fc.constantFrom('legacy/**', './a/*.json', '!(a)/b', '{a,b}/**', 'a\\[b\\].json', '**')
const optional = <Of>(fields: { [Key in keyof Of]: fc.Arbitrary<Of[Key]> }) => fc.record(fields, { requiredKeys: [] })
const override = fc
  .tuple(fc.array(pattern, { minLength: 1, maxLength: 2 }), optional(rules))
  .map(([files, rest]) => ({ files, ...rest }))
const policy = optional({
  ...{
    $schema: fc.constant('x.json'),
    annotator: fc.constant('patterns'),
    options: fc.dictionary(fc.string(), fc.jsonValue()),
  },
  ...{ paths: fc.array(fc.constantFrom('a', '../b', 'c/*.json'), { minLength: 1 }), baseline: fc.constant('b.json') },
  ...rules,
  tags: fc.constant({ team: 'metadata.team', channel: 'folder:1' }),
  rates: fc.array(rate, { maxLength: 3 }),
  confidence: fc.constantFrom(0.51, 0.95, '50.5%', '99.9 %'),
  minJudged: share,
  maxTokens: fc.integer({ min: 1 }),
  maxCost: fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true }),
  maxFailures: fc.integer({ min: 1 }),
  prices: fc.record({
    currency: fc.constantFrom('EUR', 'USD'),
    in: fc.integer({ min: 0 }),
    out: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  }),
  deadline: fc.constantFrom('5m', '500ms', '30', '1.5h', '0.5s'),
  attempts: fc.integer({ min: 1, max: 9 }),
  confirmOnFail: fc.boolean(),
  overrides: fc.array(override, { maxLength: 3 }),
})

/** Values for any place of a policy; most are right in some places and wrong in others. */
const strange = fc.oneof(
  fc.constantFrom(
    null,
    true,
    '',
    '-',
    0,
    1,
    -1,
    1.5,
    10,
    0.5,
    '50%',
    '50.0%',
    '101%',
    '5',
    '5 m',
    '0s',
    '00:05',
    'poor',
  ),
  fc.constantFrom('none', 'por', 'fail', '/a', '../a', 'a/..', 'a//b', 'a/', '!a', 'a\\b', 'C:/a', '..a', '.', [], {}),
  fc.constantFrom<unknown>([''], ['a'], [null], { max: 1 }, [{ max: 1 }], [{ outcome: 'poor', signal: 'a', max: 1 }]),
  fc.jsonValue(),
)

interface Mutation {
  steps: number[]
  value: unknown
  how: 'put' | 'drop' | 'add'
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  steps: fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
  value: strange,
  how: fc.constantFrom('put', 'drop', 'add'),
})

/** A policy with one of its places changed. */
function mutated(json: unknown, { steps: [step = 0, ...steps], value, how }: Mutation): unknown {
  const entries = Object.entries(Object(json))
  if (typeof json !== 'object' || json === null || entries.length === 0) return value
  const [key] = entries[step % entries.length] ?? ['']
  const changed = entries.flatMap(([name, of]): [string, unknown][] => {
    if (name !== key) return [[name, of]]
    if (steps.length > 0) return [[name, mutated(of, { steps, value, how })]]
    return how === 'drop'
      ? []
      : how === 'put'
        ? [[name, value]]
        : [
            [name, of],
            [`${name}s`, value],
          ]
  })
  return Array.isArray(json) ? changed.map(([, of]) => of) : Object.fromEntries(changed)
}

/** True for errors that no schema can express: contradictions, the same rate twice, patterns that no library can read. */
const isBeyondSchemas = (message: string) =>
  /^(the signal .* is required and |the same as \/rates\/|needs "attempts" of 2|requires a rate; |requires "prices"|is not a valid pattern: )/.test(
    message,
  )

/** True if `svc` accepts a policy, apart from errors that no schema can express. */
function isTaken(json: unknown): boolean {
  const result = policyChecks.safeParse(json)
  return result.success || result.error.issues.every(({ message }) => isBeyondSchemas(message))
}

describe('the schema of the policy file', () => {
  it('accepts the policies that svc accepts', () => {
    fc.assert(
      fc.property(policy, (json) => {
        expect([isTaken(json), accepts(json)]).toEqual([true, true])
      }),
    )
  })

  it('accepts and refuses the same policies as svc, for any change in a policy', () => {
    const seen = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(policy, fc.array(mutation, { minLength: 1, maxLength: 2 }), (json, mutations) => {
        const changed = JSON.parse(JSON.stringify(mutations.reduce<unknown>(mutated, json)))
        const taken = isTaken(changed)
        seen[taken ? 'taken' : 'refused']++
        expect(accepts(changed), JSON.stringify(changed)).toBe(taken)
      }),
      { numRuns: runs(300) },
    )
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(runs(300) / 10)
  })

  it.each([
    { forbidden: ['a'], required: ['a'] },
    { allowed: [], required: ['a'] },
    {
      rates: [
        { signal: 'a', max: 1 },
        { signal: 'a', max: 0 },
      ],
    },
    { attempts: 1, confirmOnFail: true },
    { confidence: 0.95 },
    { maxCost: 5 },
    { overrides: [{ files: ['a[b'] }] },
  ])('svc refuses %j, which the schema of the policy file accepts', (json) => {
    expect([accepts(json), policyChecks.safeParse(json).success]).toEqual([true, false])
  })

  it('shows for each key of the policy file an example and a default that svc accepts', () => {
    const needed: Record<string, object> = {
      confirmOnFail: { attempts: 3 },
      confidence: { rates: policyKeys.rates?.example },
      maxCost: { prices: policyKeys.prices?.example },
    }
    for (const [key, { example }] of Object.entries(policyKeys))
      expect(policyChecks.safeParse({ [key]: example, ...needed[key] }), key).toMatchObject({ success: true })
    expect(policyChecks.safeParse(defaults)).toMatchObject({ success: true })
  })
})

describe('the policy of a report', () => {
  it('is read from a report as it was in force, for any policy file', async () => {
    let read = 0
    await fc.assert(
      fc.asyncProperty(policy, async (json) => {
        const readFile = async () => new TextEncoder().encode(JSON.stringify(json))
        const files = { resolve: (path: string) => posix.resolve('/repo', path), isThere: () => true, readFile }
        const file = await readPolicyFile(files, 'p.json', async () => {}).catch(() => undefined)
        if (!file) return
        read++
        const inForce = JSON.parse(JSON.stringify({ ...defaultPolicy, ...file.policy }))
        expect(policyInForce.safeParse(inForce)).toEqual({ success: true, data: inForce })
        expect(policyInForce.safeParse({ ...inForce, minJudged: '5%' }).success).toBe(false)
      }),
      { numRuns: runs(100) },
    )
    expect(read).toBeGreaterThan(5)
  })
})
