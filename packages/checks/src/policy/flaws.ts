import { cut, nearest, type Shape, type ShapeIssue } from '@svc/text'
import { patternProblem } from '@svc/text/patterns'
import { wrongMap } from '@svc/transcripts'
import { type Contradiction, contradictionsIn, contradictionsWith } from './policy.js'
import { type PolicyJson, policySchema, type ReadPolicy } from './schema.js'

interface Flaw {
  path: (string | number)[]
  message: string
}

type RateJson = NonNullable<PolicyJson['rates']>[number]
type OverrideJson = NonNullable<PolicyJson['overrides']>[number]

/** The valid parts of a policy file; an invalid part is undefined. */
interface ValidParts extends Omit<PolicyJson, 'rates' | 'overrides'> {
  rates?: readonly (RateJson | undefined)[] | undefined
  overrides?: readonly (OverrideJson | undefined)[] | undefined
}

function policyFlaws({
  rates = [],
  overrides = [],
  reading = [],
  attempts,
  confirmOnFail,
  ...rest
}: ValidParts): Flaw[] {
  const base = { forbidden: rest.forbidden ?? [], allowed: rest.allowed, required: rest.required ?? [] }
  const flaws = [
    ...contradictionsIn(base).map((each) => flawOf(each, ['required', base.required.indexOf(each.signal)])),
    ...rates.flatMap((rate, at) => [...rateFlaws(rate, at, rates), ...tagFlaws(rate?.by, at, rest.tags)]),
    ...overrides.flatMap((override, at) => (override ? overrideFlaws(override, ['overrides', at], base) : [])),
    ...reading.flatMap(({ map = {} }, at) => mapFlaws(map, ['reading', at, 'map'])),
  ]
  if (confirmOnFail && attempts === 1) flaws.push({ path: ['confirmOnFail'], message: 'needs "attempts" of 2 or more' })
  if (rest.confidence !== undefined && rates.length === 0) {
    const message = 'requires a rate; add "rates", or use --confidence with --max-rate'
    flaws.push({ path: ['confidence'], message })
  }
  if (rest.maxCost !== undefined && !rest.prices) flaws.push({ path: ['maxCost'], message: 'requires "prices"' })
  return flaws
}

const flawOf = ({ signal, by }: Contradiction, path: Flaw['path']): Flaw => ({
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
  return [...patterns, ...contradictions.map((each) => flawOf(each, [...path, ...placeIn(override, each)]))]
}

function rateFlaws(rate: RateJson | undefined, at: number, rates: ValidParts['rates'] = []): Flaw[] {
  if (!rate) return []
  const path = ['rates', at]
  const { outcome, signal } = rate
  if ((outcome === undefined) === (signal === undefined)) {
    return [{ path, message: 'expected either outcome or signal' }]
  }
  const first = rates.findIndex(
    (other) => other?.outcome === outcome && other?.signal === signal && other?.by === rate.by,
  )
  return first < at ? [{ path, message: `the same as /rates/${first}; give one bound for it` }] : []
}

function tagFlaws(by: string | undefined, at: number, tags: PolicyJson['tags'] = {}): Flaw[] {
  if (by === undefined || Object.hasOwn(tags, by)) return []
  const names = Object.keys(tags)
  const meant = nearest(by, names)
  const hint = meant ? `; did you mean ${meant}?` : names.length > 0 ? '' : '; add "tags"'
  return [{ path: ['rates', at, 'by'], message: `"tags" has no ${cut(JSON.stringify(by), 60)}${hint}` }]
}

function mapFlaws(map: Record<string, string>, path: Flaw['path']): Flaw[] {
  const wrong = wrongMap(map)
  if (wrong === undefined) return []
  const { field, expected, found } = wrong
  return [{ path: [...path, field], message: `expected ${expected}, found ${cut(JSON.stringify(found), 60)}` }]
}

function patternFlaws(pattern: string, path: Flaw['path']): Flaw[] {
  const problem = patternProblem(pattern)
  return problem === undefined ? [] : [{ path, message: `is not a valid pattern: ${problem}` }]
}

type Issues = readonly ShapeIssue[]

/** Reports problems of shape: keys that contradict each other may be of several files. */
export const policyShape: Shape<ReadPolicy> = {
  safeParse(json) {
    const other = ofAnotherKind(json)
    return other ? { success: false, error: { issues: [other] } } : policySchema.safeParse(json)
  },
}

/** Reports problems of shape and of meaning together. */
export const policyChecks: Shape<ReadPolicy> = {
  safeParse(json) {
    const other = ofAnotherKind(json)
    if (other) return { success: false, error: { issues: [other] } }
    const { success, data, error } = policySchema.safeParse(json)
    const wrong = error?.issues ?? []
    const flaws = policyFlaws(validParts(json, wrong)).map((flaw) => ({ code: 'custom', ...flaw }))
    const issues = [...wrong, ...flaws]
    return success && issues.length === 0 ? { success, data } : { success: false, error: { issues } }
  },
}

/** A document with another schema is reported by its schema only. */
function ofAnotherKind(json: unknown): Issues[number] | undefined {
  const schema = typeof json === 'object' && json !== null && 'schema' in json ? json.schema : undefined
  return typeof schema === 'string' && schema.startsWith('svc/')
    ? { code: 'custom', path: ['schema'], message: `expected a policy, found ${cut(schema, 60)}` }
    : undefined
}

function validParts(json: unknown, issues: Issues): ValidParts {
  if (issues.some(({ path, code }) => path.length === 0 && code !== 'unrecognized_keys')) return {}
  const parts = { ...(json as Record<string, unknown>) }
  for (const {
    path: [key, at],
  } of issues) {
    const part = parts[String(key)]
    const isItem = (key === 'rates' || key === 'overrides') && typeof at === 'number' && Array.isArray(part)
    if (isItem) parts[key] = part.with(at, undefined)
    else if (key !== undefined) delete parts[String(key)]
    // Without valid rates it is unknown what the confidence belongs to, and likewise without valid prices.
    if (key === 'rates') delete parts.confidence
    if (key === 'prices') delete parts.maxCost
  }
  return parts
}
