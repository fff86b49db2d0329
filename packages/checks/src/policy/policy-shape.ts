import { cut, nearest, patternProblem } from '@svc/text'
import * as z from 'zod/mini'

import { indeterminates, scale } from '../report/index.js'
import { type Contradiction, contradictionsIn, contradictionsWith } from './policy.js'

const expected = (what: string) => ({
  error: ({ input }: { input?: unknown }) => `expected ${what}${input === undefined ? '' : `, found ${shown(input)}`}`,
})

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return cut(JSON.stringify(value), 60)
}

/** Unknown names are reported one by one, because each has its own place. */
const anObject = {
  error: ({ code, input }: { code?: string; input?: unknown }) =>
    code === 'unrecognized_keys' ? 'unknown name' : expected('an object').error({ input }),
}

const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, {
    error({ input }: { input?: unknown }) {
      const meant = typeof input === 'string' ? nearest(input, values) : undefined
      const message = expected(`one of ${values.join(', ')}`).error({ input })
      return meant === undefined ? message : `${message}; did you mean ${meant}?`
    },
  })

const textOf = (what: string) => z.string(expected(what)).check(z.minLength(1, expected(what)))
const listOf = <Item extends z.ZodMiniType>(item: Item, what: string) => z.array(item, expected(what))
const numberOrText = (what: string, range: z.core.$ZodCheck<number>[], text: RegExp) =>
  z.union([z.number(expected(what)).check(...range), z.string(expected(what)).check(z.regex(text, expected(what)))], {
    ...expected(what),
  })

const ofShare = 'a share such as 0.05 or "5%", at most 1 or "100%"'
const share = numberOrText(
  ofShare,
  [z.gte(0, expected(ofShare)), z.lte(1, expected(ofShare))],
  /^(100(\.0+)?|\d{1,2}(\.\d+)?)\s?%$/,
)

const ofConfidence = 'a confidence above 0.5 and below 1, such as 0.95 or "95%"'
const confidence = numberOrText(
  ofConfidence,
  [z.gt(0.5, expected(ofConfidence)), z.lt(1, expected(ofConfidence))],
  /^(50\.0*[1-9]\d*|5[1-9](\.\d+)?|[6-9]\d(\.\d+)?)\s?%$/,
)

const ofDuration = 'a duration such as "90s" or "5m"'
const duration = z
  .string(expected(ofDuration))
  .check(z.regex(/^(?=.*[1-9])\d{1,9}(\.\d{1,9})?(ms|s|m|h|d)?$/, expected(ofDuration)))

const wholeFrom1 = (max: number, what: string) =>
  z.int(expected(what)).check(z.gte(1, expected(what)), z.lte(max, expected(what)))

const aPrice = 'a price of a million tokens, from 0'
const price = z.number(expected(aPrice)).check(z.gte(0, expected(aPrice)))
const aCurrency = 'a currency such as "EUR"'
const currency = z.string(expected(aCurrency)).check(z.regex(/^[A-Z]{3}$/, expected(aCurrency)))
const prices = z.strictObject({ currency, in: price, out: price }, anObject)

const signal = textOf('a signal, such as "loop"')
const signals = listOf(signal, 'a list of signals')

const ofTag = 'a field such as "metadata.team", or "folder:1" for the first folder'
const tagSource = textOf(ofTag).check(z.regex(/^(?!folder:(?![1-9]\d*$))/, expected(ofTag)))

const rate = z.strictObject(
  {
    outcome: z.optional(oneOf(scale)),
    signal: z.optional(signal),
    max: share,
    by: z.optional(textOf('the name of a tag')),
  },
  anObject,
)

const rules = {
  failOn: z.optional(oneOf([...scale, 'none'])),
  forbidden: z.optional(signals),
  allowed: z.optional(signals),
  required: z.optional(signals),
  indeterminate: z.optional(oneOf(indeterminates)),
}

const mayNot = (pattern: RegExp, error: string) => z.regex(pattern, { error })

/** A pattern that can match files below the folder of the policy. */
const pattern = textOf('a pattern such as "legacy/**"').check(
  mayNot(/^(?!\/|[A-Za-z]:)/, 'can never match: patterns start from the folder of this file'),
  mayNot(/^(?!(.*\/)?\.\.(\/|$))/, 'can never match: patterns do not leave the folder of this file'),
  mayNot(
    /^(?!\.$|.*\/(\.?\/|\.?$))/,
    'can never match: a folder has no name; for all that is in one write "legacy/**"',
  ),
  mayNot(/^(?!.*\\(?![[\](){}]))/, 'has a \\ that is not before a bracket; write / between folders'),
  mayNot(/^(?!!(?!\())/, 'cannot begin with !; name the files that are meant, a later override goes before this one'),
)

const files = listOf(pattern, 'a list of patterns').check(z.minLength(1, { error: 'expected at least one pattern' }))
const override = z.strictObject({ files, ...rules }, anObject)

const aPath = 'a path from the folder of this file'
const path = textOf(aPath).check(z.regex(/^(?!-$)/, { error: 'standard input can be named on the command line only' }))

/** `policyFlaws` finds what a shape cannot express. */
export const policyShape = z.strictObject(
  {
    $schema: z.optional(textOf('the path of the schema')),
    annotator: z.optional(textOf('the id of an annotator')),
    options: z.optional(z.record(z.string(), z.unknown(), expected('an object of annotation options'))),
    paths: z.optional(listOf(path, 'a list of paths').check(z.minLength(1, { error: 'expected at least one path' }))),
    exclude: z.optional(listOf(textOf('a pattern such as "drafts/**"'), 'a list of patterns')),
    baseline: z.optional(path),
    ...rules,
    tags: z.optional(z.record(z.string(), tagSource, expected('an object of fields by tag'))),
    rates: z.optional(listOf(rate, 'a list of rates')),
    confidence: z.optional(confidence),
    minJudged: z.optional(share),
    maxTokens: z.optional(wholeFrom1(Number.MAX_SAFE_INTEGER, 'a whole number from 1')),
    maxFailures: z.optional(wholeFrom1(Number.MAX_SAFE_INTEGER, 'a whole number from 1')),
    prices: z.optional(prices),
    deadline: z.optional(duration),
    attempts: z.optional(wholeFrom1(9, 'a whole number from 1 to 9')),
    confirmOnFail: z.optional(z.boolean(expected('true or false'))),
    overrides: z.optional(listOf(override, 'a list of overrides')),
  },
  anObject,
)

export type PolicyJson = z.infer<typeof policyShape>

export const namesInPolicy = ([first]: readonly PropertyKey[]): string[] =>
  Object.keys(
    (first === 'rates' ? rate : first === 'overrides' ? override : first === 'prices' ? prices : policyShape).shape,
  )

export const partsOfPolicy = { rate, override }

interface Flaw {
  path: (string | number)[]
  message: string
}

type RateJson = NonNullable<PolicyJson['rates']>[number]
type OverrideJson = NonNullable<PolicyJson['overrides']>[number]

/** The valid parts of a policy file; an invalid part is undefined. */
interface RightParts extends Omit<PolicyJson, 'rates' | 'overrides'> {
  rates?: readonly (RateJson | undefined)[] | undefined
  overrides?: readonly (OverrideJson | undefined)[] | undefined
}

/** Contradictions and patterns that cannot be read. */
function policyFlaws({ rates = [], overrides = [], attempts, confirmOnFail, ...rest }: RightParts): Flaw[] {
  const base = { forbidden: rest.forbidden ?? [], allowed: rest.allowed, required: rest.required ?? [] }
  return [
    ...contradictionsIn(base).map((each) => flawOf(each, ['required', base.required.indexOf(each.signal)])),
    ...rates.flatMap((rate, at) => [...rateFlaws(rate, at, rates), ...tagFlaws(rate?.by, at, rest.tags)]),
    ...overrides.flatMap((override, at) => (override ? overrideFlaws(override, ['overrides', at], base) : [])),
    ...(confirmOnFail && attempts === 1 ? [{ path: ['confirmOnFail'], message: 'needs "attempts" of 2 or more' }] : []),
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

function rateFlaws(rate: RateJson | undefined, at: number, rates: RightParts['rates'] = []): Flaw[] {
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

function patternFlaws(pattern: string, path: Flaw['path']): Flaw[] {
  const problem = patternProblem(pattern)
  return problem === undefined ? [] : [{ path, message: `is no pattern: ${problem}` }]
}

type Issues = readonly { code: string; path: readonly PropertyKey[]; message: string; keys?: readonly string[] }[]

/** Reports problems of shape and of meaning together. */
export const policyChecks = {
  safeParse(json: unknown): { success: true; data: PolicyJson } | { success: false; error: { issues: Issues } } {
    const other = ofAnotherKind(json)
    if (other) return { success: false, error: { issues: [other] } }
    const { success, data, error } = policyShape.safeParse(json)
    const wrong = error?.issues ?? []
    const flaws = policyFlaws(data ?? rightPartsOf(json, wrong)).map((flaw) => ({ code: 'custom', ...flaw }))
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

function rightPartsOf(json: unknown, issues: Issues): RightParts {
  if (issues.some(({ path, code }) => path.length === 0 && code !== 'unrecognized_keys')) return {}
  const parts = { ...(json as Record<string, unknown>) }
  for (const {
    path: [key, at],
  } of issues) {
    const part = parts[String(key)]
    const isItem = (key === 'rates' || key === 'overrides') && typeof at === 'number' && Array.isArray(part)
    if (isItem) parts[key] = part.with(at, undefined)
    else if (key !== undefined) delete parts[String(key)]
    // Without valid rates it is unknown what the confidence belongs to.
    if (key === 'rates') delete parts.confidence
  }
  return parts
}
