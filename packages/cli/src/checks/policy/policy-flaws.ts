import { type Contradiction, contradictionsIn, contradictionsWith } from './contradictions.js'
import { patternProblem } from './patterns.js'
import type { PolicyJson } from './policy-shape.js'

/** Something that is wrong in a policy file, and the keys that lead to it. */
export interface Flaw {
  path: (string | number)[]
  message: string
}

type RateJson = NonNullable<PolicyJson['rates']>[number]
type OverrideJson = NonNullable<PolicyJson['overrides']>[number]

/** What of a policy file has its right shape; what has not is undefined. */
export interface RightParts extends Omit<PolicyJson, 'rates' | 'overrides'> {
  rates?: readonly (RateJson | undefined)[] | undefined
  overrides?: readonly (OverrideJson | undefined)[] | undefined
}

/** What is wrong in a policy file beyond its shape: what contradicts itself, and what cannot be read. */
export function policyFlaws({ rates = [], overrides = [], attempts, confirmOnFail, ...rest }: RightParts): Flaw[] {
  const base = { forbidden: rest.forbidden ?? [], allowed: rest.allowed, required: rest.required ?? [] }
  return [
    ...contradictionsIn(base).map((each) => told(each, ['required', base.required.indexOf(each.signal)])),
    ...rates.flatMap((rate, at) => rateFlaws(rate, at, rates)),
    ...overrides.flatMap((override, at) => (override ? overrideFlaws(override, ['overrides', at], base) : [])),
    ...(confirmOnFail && attempts === 1
      ? [{ path: ['confirmOnFail'], message: 'asks again, and attempts is 1; give attempts from 2' }]
      : []),
    ...(rest.confidence !== undefined && rates.length === 0
      ? [
          {
            path: ['confidence'],
            message: 'is of rates, and there are none; give "rates", or --confidence with --max-rate',
          },
        ]
      : []),
  ]
}

const told = ({ signal, by }: Contradiction, path: Flaw['path']): Flaw => ({
  path,
  message: `the signal ${JSON.stringify(signal)} is required and ${by === 'forbidden' ? 'forbidden' : 'not among those that are allowed'}`,
})

const placeIn = (override: { required?: string[] | undefined }, { signal, by }: Contradiction): Flaw['path'] =>
  override.required ? ['required', override.required.indexOf(signal)] : [by]

function overrideFlaws(
  override: OverrideJson,
  path: Flaw['path'],
  base: Parameters<typeof contradictionsIn>[0],
): Flaw[] {
  const patterns = override.files.flatMap((pattern, at) => patternFlaws(pattern, [...path, 'files', at]))
  const contradictions = contradictionsWith(base, override)
  return [...patterns, ...contradictions.map((each) => told(each, [...path, ...placeIn(override, each)]))]
}

function rateFlaws(rate: RateJson | undefined, at: number, rates: RightParts['rates'] = []): Flaw[] {
  if (!rate) return []
  const path = ['rates', at]
  const { outcome, signal } = rate
  if ((outcome === undefined) === (signal === undefined)) {
    return [{ path, message: 'expected either outcome or signal' }]
  }
  const first = rates.findIndex((other) => other?.outcome === outcome && other?.signal === signal)
  return first < at ? [{ path, message: `the same as /rates/${first}; give one bound for it` }] : []
}

function patternFlaws(pattern: string, path: Flaw['path']): Flaw[] {
  const problem = patternProblem(pattern)
  return problem === undefined ? [] : [{ path, message: `is no pattern: ${problem}` }]
}
