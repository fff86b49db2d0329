import { cut, nearest, parseDuration } from '@svc/text'
import * as z from 'zod/mini'
import { indeterminates, scale } from '../terms.js'

/** The words for a key of the policy, from which editors, help and docs explain it. */
export interface KeyWords {
  type: string
  /** Without a full stop. */
  meaning: string
  example: unknown
}

export const words = z.registry<KeyWords>()

function key<Schema extends z.ZodMiniType>(schema: Schema, of: KeyWords): z.ZodMiniOptional<Schema> {
  const optional = z.optional(schema)
  words.add(optional, of)
  return optional
}

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

const nonEmpty = (what: string) => z.string(expected(what)).check(z.minLength(1, expected(what)))
const listOf = <Item extends z.ZodMiniType>(item: Item, what: string) => z.array(item, expected(what))

/** A value as a file has it, which is read as another. */
const readAs = <In extends z.ZodMiniType, Out extends z.ZodMiniType>(
  schema: In,
  read: (value: z.output<In>) => z.input<Out>,
  out: Out,
): z.ZodMiniPipe<In, Out> =>
  z.pipe<z.ZodMiniType, Out>(z.pipe(schema, z.transform(read)), out) as z.ZodMiniPipe<In, Out>

/** `5%` or `0.05`, from 0 to 1; undefined for any other text. */
export function parseShare(text: string): number | undefined {
  const [, number, percent] = /^(\d+(?:\.\d+)?)\s*(%)?$/.exec(text) ?? []
  const value = Number(number) / (percent ? 100 : 1)
  return value >= 0 && value <= 1 ? value : undefined
}

const asFraction = { error: 'expected a share from 0 to 1' }
const fraction = z.number(asFraction).check(z.gte(0, asFraction), z.lte(1, asFraction))
const shareIn = (what: string, range: z.core.$ZodCheck<number>[], text: RegExp) => {
  const number = z.number(expected(what)).check(...range)
  const either = z.union([number, z.string(expected(what)).check(z.regex(text, expected(what)))], expected(what))
  return readAs(either, (value) => (typeof value === 'string' ? (parseShare(value) ?? Number.NaN) : value), fraction)
}

const ofShare = 'a share such as 0.05 or "5%", at most 1 or "100%"'
const share = shareIn(
  ofShare,
  [z.gte(0, expected(ofShare)), z.lte(1, expected(ofShare))],
  /^(100(\.0+)?|\d{1,2}(\.\d+)?)\s?%$/,
)

const ofConfidence = 'a confidence above 0.5 and below 1, such as 0.95 or "95%"'
const confidence = shareIn(
  ofConfidence,
  [z.gt(0.5, expected(ofConfidence)), z.lt(1, expected(ofConfidence))],
  /^(50\.0*[1-9]\d*|5[1-9](\.\d+)?|[6-9]\d(\.\d+)?)\s?%$/,
)

const ofDuration = 'a duration such as "90s" or "5m"'
const duration = readAs(
  z.string(expected(ofDuration)).check(z.regex(/^(?=.*[1-9])\d{1,9}(\.\d{1,9})?(ms|s|m|h|d)?$/, expected(ofDuration))),
  (text) => parseDuration(text) ?? Number.NaN,
  z.number(expected('a number of milliseconds')),
)

const wholeFrom1 = (max: number, what: string) =>
  z.int(expected(what)).check(z.gte(1, expected(what)), z.lte(max, expected(what)))
const anyFrom1 = wholeFrom1(Number.MAX_SAFE_INTEGER, 'a whole number from 1')

const aPrice = 'a price of a million tokens, from 0'
const price = z.number(expected(aPrice)).check(z.gte(0, expected(aPrice)))
const aCost = 'an amount above 0'
const cost = z.number(expected(aCost)).check(z.gt(0, expected(aCost)))
const aCurrency = 'a currency such as "EUR"'
const currency = z.string(expected(aCurrency)).check(z.regex(/^[A-Z]{3}$/, expected(aCurrency)))
const prices = z.strictObject({ currency, in: price, out: price }, anObject)

const signal = nonEmpty('a signal, such as "loop"')
const signals = listOf(signal, 'a list of signals')

const ofTag = 'a field such as "metadata.team", or "folder:1" for the first folder'
const tagSource = nonEmpty(ofTag).check(z.regex(/^(?!folder:(?![1-9]\d*$))/, expected(ofTag)))

const outcomes = '`strong`, `mixed`, `poor`, `critical`'

export const rateInFile = z.strictObject(
  {
    outcome: key(oneOf(scale), {
      type: outcomes,
      meaning: 'Limits transcripts with this outcome or a worse one',
      example: 'poor',
    }),
    signal: key(signal, { type: 'text', meaning: 'Limits transcripts in which this signal fired', example: 'loop' }),
    max: z.clone(share).register(words, { type: 'share', meaning: 'The largest allowed share', example: '5%' }),
    by: key(nonEmpty('the name of a tag'), {
      type: 'name of a tag',
      meaning: 'Limits the share for each value of this tag on its own',
      example: 'team',
    }),
  },
  anObject,
)

export const text = z.string(expected('a text'))

/** A rate in force, as reports have it. */
export const rateInForce = z.object(
  {
    /** An outcome or a worse one, or a signal that fired. */
    of: z.union([z.object({ outcome: oneOf(scale) }), z.object({ signal: text })], {
      error: 'expected an object of an outcome or of a signal',
    }),
    /** The largest allowed share of the judged transcripts, from 0 to 1. */
    max: fraction,
    /** The tag for each of whose values the share is limited. */
    by: z.exactOptional(text),
  },
  anObject,
)

const rate = readAs(
  rateInFile,
  ({ outcome, signal = '', max, by }) => ({
    of: outcome === undefined ? { signal } : { outcome },
    max,
    ...(by !== undefined && { by }),
  }),
  rateInForce,
)

const readingRule = z.strictObject(
  {
    files: listOf(nonEmpty('a pattern such as "*.csv"'), 'a list of patterns').check(
      z.minLength(1, { error: 'expected at least one pattern' }),
    ),
    map: key(z.record(z.string(), text, expected('an object of columns by field')), {
      type: 'object of columns by field',
      meaning: 'Columns of a table or fields of JSON rows, as `--map`',
      example: { id: 'ticket', 'role:Bot': 'assistant' },
    }),
    importer: key(listOf(nonEmpty('a path'), 'a list of paths'), {
      type: 'list of paths',
      meaning: 'Programs with a format of your own, as `--importer`, relative to the policy file',
      example: ['./calls.mjs'],
    }),
  },
  anObject,
)

const rules = {
  failOn: key(oneOf([...scale, 'none']), {
    type: `${outcomes} or \`none\``,
    meaning:
      'A transcript fails at this outcome or a worse one; `none`: no outcome fails on its own (the default if `rates` has an outcome)',
    example: 'critical',
  }),
  forbidden: key(signals, {
    type: 'list of signals',
    meaning: 'A transcript fails if one of these signals fired',
    example: ['loop'],
  }),
  allowed: key(signals, {
    type: 'list of signals',
    meaning: 'A transcript fails if any other signal fired',
    example: ['greeting', 'handover'],
  }),
  required: key(signals, {
    type: 'list of signals',
    meaning: 'A transcript fails if one of these signals did not fire',
    example: ['greeting'],
  }),
  indeterminate: key(oneOf(indeterminates), {
    type: '`unjudged`, `fail`, `warn` or `ignore`',
    meaning: 'How to count an indeterminate outcome: not judged, failed, passed with a warning, or passed',
    example: 'warn',
  }),
}

const mayNot = (pattern: RegExp, error: string) => z.regex(pattern, { error })

const pattern = nonEmpty('a pattern such as "legacy/**"').check(
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
const override = z.strictObject(
  {
    files: files.register(words, {
      type: 'list of patterns',
      meaning: 'The files that it applies to, relative to the policy file, such as `legacy/**`',
      example: ['legacy/**'],
    }),
    ...rules,
  },
  anObject,
)

const aPath = 'a path from the folder of this file'
const path = nonEmpty(aPath).check(
  z.regex(/^(?!-$)/, { error: 'standard input can be named on the command line only' }),
)

/** The policy file: every key, once. `flaws.ts` finds what a schema cannot express. */
export const policySchema = z.strictObject(
  {
    $schema: key(nonEmpty('the path of the schema'), {
      type: 'text',
      meaning: 'The JSON schema for editors; `svc` does not read it',
      example: './node_modules/@svc/cli/svc.checks.schema.json',
    }),
    extends: key(nonEmpty('the path of a policy, or the name of a package'), {
      type: 'path or name of a package',
      meaning: 'The policy that this one extends',
      example: '../svc.checks.base.json',
    }),
    annotator: key(nonEmpty('the id of an annotator'), {
      type: 'text',
      meaning: 'The annotator',
      example: 'patterns',
    }),
    options: key(z.record(z.string(), z.unknown(), expected('an object of annotation options')), {
      type: 'object',
      meaning: 'Annotation options',
      example: { language: 'en' },
    }),
    paths: key(listOf(path, 'a list of paths').check(z.minLength(1, { error: 'expected at least one path' })), {
      type: 'list of paths or patterns',
      meaning: 'The paths to check if the command line names none; `!pattern` skips files',
      example: ['transcripts'],
    }),
    reading: key(listOf(readingRule, 'a list of objects'), {
      type: 'list of rules',
      meaning:
        'How files are read: `map` and `importer` as the flags, for the files that match `files`; a known format needs no `map`',
      example: [{ files: ['*.csv'], map: { id: 'ticket', role: 'who', content: 'said' } }],
    }),
    exclude: key(listOf(nonEmpty('a pattern such as "drafts/**"'), 'a list of patterns'), {
      type: 'list of patterns',
      meaning: 'Files to skip, by name (`*.draft.json`) or by path (`drafts/**`); `--exclude` adds to them',
      example: ['drafts/**', '*.tmp.json'],
    }),
    baseline: key(path, {
      type: 'path',
      meaning: 'The baseline file',
      example: 'svc.baseline.json',
    }),
    ...rules,
    tags: key(z.record(z.string(), tagSource, expected('an object of fields by tag')), {
      type: 'object of fields by tag',
      meaning: 'Groups the transcripts by a field as in `--where`, or by `folder:1`, the first folder of the path',
      example: { team: 'metadata.team', channel: 'folder:1' },
    }),
    rates: key(listOf(rate, 'a list of rates'), {
      type: 'list of rates',
      meaning: 'The largest allowed shares of the judged transcripts',
      example: [{ outcome: 'poor', max: '5%' }],
    }),
    confidence: key(confidence, {
      type: 'share over 50 % and under 100 %',
      meaning: 'The confidence at which a rate is decided',
      example: 0.95,
    }),
    minJudged: key(share, {
      type: 'share',
      meaning: 'The share of the transcripts that must be judged',
      example: '98%',
    }),
    maxTokens: key(anyFrom1, {
      type: 'whole number from 1',
      meaning: 'Send no more requests after this number of tokens, in and out',
      example: 2_000_000,
    }),
    maxCost: key(cost, {
      type: 'number above 0',
      meaning: 'Send no more requests after this cost, in the currency of `prices`',
      example: 5,
    }),
    maxFailures: key(anyFrom1, {
      type: 'whole number from 1',
      meaning: 'Send no more requests after this number of failed transcripts',
      example: 10,
    }),
    against: key(path, {
      type: 'path',
      meaning: 'The JSON report to compare with; the check fails if it is worse',
      example: 'reference.json',
    }),
    allowMissing: key(z.boolean(expected('true or false')), {
      type: 'true or false',
      meaning: 'The report of `against` may be missing',
      example: true,
    }),
    maxDrop: key(share, {
      type: 'share',
      meaning: 'The largest drop of the pass rate against the report of `against`',
      example: '5%',
    }),
    cluster: key(nonEmpty('the name of a tag or of a field'), {
      type: 'name of a tag, or a field',
      meaning: 'Transcripts with the same value count as one in a comparison',
      example: 'metadata.scenario',
    }),
    prices: key(prices, {
      type: 'object of `currency`, `in` and `out`',
      meaning: 'The prices of a million tokens; reports and `--dry-run` then show the cost',
      example: { currency: 'EUR', in: 3, out: 15 },
    }),
    deadline: key(duration, {
      type: 'duration: a number and `ms`, `s`, `m`, `h` or `d`; without a unit, seconds',
      meaning: 'Send no more requests after this time',
      example: '10m',
    }),
    ruleTimeout: key(duration, {
      type: 'duration',
      meaning: 'The time that a rule in code has for one transcript; 10 seconds by default',
      example: '30s',
    }),
    attempts: key(wholeFrom1(9, 'a whole number from 1 to 9'), {
      type: 'whole number from 1 to 9',
      meaning: 'Annotate each transcript this many times; it fails if half or more attempts fail',
      example: 3,
    }),
    confirmOnFail: key(z.boolean(expected('true or false')), {
      type: 'true or false',
      meaning: 'Repeat only transcripts that fail at first; requires `attempts` of 2 or more',
      example: true,
    }),
    overrides: key(listOf(override, 'a list of overrides'), {
      type: 'list of overrides',
      meaning: 'Different rules for some files',
      example: [{ files: ['legacy/**'], failOn: 'critical' }],
    }),
  },
  anObject,
)

/** A policy as its file has it. */
export type PolicyJson = z.input<typeof policySchema>
/** A policy file as it is read: shares as numbers, durations in milliseconds. */
export type ReadPolicy = z.output<typeof policySchema>

export type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { [Key in keyof Value]: Frozen<Value[Key]> }
    : Value

/** The values of absent keys; all others have none. */
export const defaults = {
  failOn: 'poor',
  forbidden: [],
  required: [],
  indeterminate: 'unjudged',
  rates: [],
  minJudged: 1,
  attempts: 1,
  confirmOnFail: false,
  overrides: [],
} as const satisfies Frozen<ReadPolicy>

const objects: Record<string, { shape: object }> = {
  rates: rateInFile,
  overrides: override,
  prices,
  reading: readingRule,
}

export const namesInPolicy = ([first = '']: readonly PropertyKey[]): string[] =>
  Object.keys((objects[String(first)] ?? policySchema).shape)

type Keys = Record<string, KeyWords & { default?: unknown }>
const keysOf = (shape: Readonly<Record<string, z.core.$ZodType>>, presets: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, { ...words.get(schema), default: presets[name] }]),
  ) as Keys

/** The keys of a policy file, with the meaning, the form and the default of each. */
export const policyKeys = keysOf(policySchema.shape, defaults)
export const rateKeys = keysOf(rateInFile.shape)
export const overrideKeys = keysOf(override.shape)
