import * as z from 'zod/mini'
import { indeterminates, scale } from '../policy/policy.js'
import { type CheckReport, gaps, results } from '../report.js'

// Every object is open: a later version may say more.
const object = { error: 'expected an object' }
const text = z.string({ error: 'expected a text' })
const textOrNull = z.nullable(z.string({ error: 'expected a text or null' }))
const yesOrNo = z.boolean({ error: 'expected true or false' })
const list = <Shape extends z.ZodMiniType>(of: Shape, what: string) =>
  z.array(of, { error: `expected a list of ${what}` })
const texts = list(text, 'texts')
const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, { error: `expected one of ${words.join(', ')}` })
const oneOrNull = <const Word extends string>(words: readonly Word[]) =>
  z.nullable(z.enum(words, { error: `expected one of ${words.join(', ')}, or null` }))

const counted = { error: 'expected a whole number from 0' }
const count = z.int(counted).check(z.gte(0, counted))
const ordinals = { error: 'expected a whole number from 1' }
const ordinal = z.int(ordinals).check(z.gte(1, ordinals))
const position = z.nullable(z.int({ error: 'expected a whole number or null' }))
const amounts = { error: 'expected a number from 0' }
const amount = z.number(amounts).check(z.gte(0, amounts))
const shares = { error: 'expected a share from 0 to 1' }
const share = z.number(shares).check(z.gte(0, shares), z.lte(1, shares))
const counts = z.record(z.string(), count, { error: 'expected an object of numbers by name' })
const every = <Word extends string>(words: readonly Word[]) =>
  z.looseObject(Object.fromEntries(words.map((word) => [word, count])) as Record<Word, typeof count>, object)

// The interface gives them no lower bound.
const used = z.number({ error: 'expected a number' })
const usage = z.looseObject({ tokens_in: used, tokens_out: used, latency_ms: used }, object)

const rules = {
  failOn: oneOf([...scale, 'none']),
  forbidden: texts,
  allowed: z.optional(texts),
  required: texts,
  indeterminate: oneOf(indeterminates),
}
const rate = {
  of: z.union([z.looseObject({ outcome: oneOf(scale) }), z.looseObject({ signal: text })], {
    error: 'expected an object of an outcome or of a signal',
  }),
  max: share,
}
const override = z.looseObject(
  {
    files: texts,
    failOn: z.exactOptional(oneOf([...scale, 'none'])),
    forbidden: z.exactOptional(texts),
    allowed: z.exactOptional(texts),
    required: z.exactOptional(texts),
    indeterminate: z.exactOptional(oneOf(indeterminates)),
  },
  object,
)
const policy = z.looseObject(
  {
    ...rules,
    overrides: list(override, 'overrides'),
    rates: list(z.looseObject(rate, object), 'rates'),
    confidence: z.optional(share),
    minJudged: share,
    maxTokens: z.optional(amount),
    deadlineMs: z.optional(amount),
  },
  object,
)

const reason = z.union(
  [
    z.looseObject({ rule: z.literal('outcome'), outcome: z.string(), known: z.boolean() }),
    z.looseObject({ rule: z.enum(['forbidden', 'not allowed', 'required']), signal: z.string(), known: z.boolean() }),
  ],
  { error: 'expected a rule that is broken, by an outcome or by a signal' },
)
const changes = ['new', 'worse', 'same', 'better'] as const
const summary = z.looseObject(
  {
    ...{ title: text, keywords: texts, summary: text },
    ...{ quality_concerns: text, user_intent: text, domain: text },
  },
  object,
)
const identity = { path: text, record: ordinal, part: ordinal, name: text }
const place = { line: position, column: position }

const reportCase = z.looseObject(
  {
    ...{ ...identity, ...place },
    result: oneOf(results),
    outcome: textOrNull,
    reasons: list(reason, 'broken rules'),
    gap: z.nullable(z.looseObject({ why: oneOf(gaps), detail: textOrNull, temporary: yesOrNo }, object)),
    summary: z.nullable(summary),
    ...{ outcome_notes: textOrNull, annotator_version: textOrNull, taxonomy_version: textOrNull },
    usage: z.nullable(usage),
    signals: list(z.looseObject({ key: text, evidence: text, turn: position, ...place }, object), 'signals'),
    answer: oneOrNull(['asked', 'cached', 'same']),
    votes: texts,
    flaky: yesOrNo,
    change: oneOrNull(changes),
    before: textOrNull,
    before_signals: z.exactOptional(z.nullable(texts)),
    turns: z.exactOptional(list(z.looseObject({ role: text, content: text, ...place }, object), 'turns')),
  },
  object,
)

const baseline = z.looseObject(
  {
    path: text,
    sha256: z.exactOptional(textOrNull),
    missing: list(
      z.looseObject({ ...identity, outcome: text, outside: z.exactOptional(yesOrNo) }, object),
      'transcripts',
    ),
    counts: every(changes),
    edited: count,
    stale: textOrNull,
    updated: yesOrNo,
  },
  object,
)
const losses = ['dropped', 'cut', 'merged', 'invented', 'changed'] as const
const loss = z.looseObject({ code: oneOf(losses), what: text, why: text, count }, object)
const version = z.looseObject({ annotator_version: text, taxonomy_version: text }, object)

const unmatched = z.looseObject(
  {
    kind: oneOf(['signal', 'outcome', 'pattern']),
    name: text,
    rules: z.array(oneOf(['forbidden', 'allowed', 'required', 'rates', 'overrides']), {
      error: 'expected a list of rules',
    }),
    meant: textOrNull,
  },
  object,
)

/** The JSON document of a check; its fields are those of `CheckReport`. */
export const reportShape = z.looseObject(
  {
    schema: z.literal('svc/check@1'),
    verdict: oneOf(['passed', 'failed', 'not judged']),
    ...{ exit: count, line: text, annotator: text },
    versions: list(version, 'versions'),
    policy,
    ...{ total: count, judged: count, results: every(results), outcomes: counts, signals: counts, flaky: count },
    rates: list(
      z.looseObject(
        {
          ...{ ...rate, hits: count, n: count },
          ...{ verdict: oneOf(['kept', 'exceeded', 'cannot tell']), before: z.nullable(share) },
          common: z.exactOptional(z.nullable(z.looseObject({ hits: count, n: count }, object))),
          culprits: z.exactOptional(list(z.looseObject(identity, object), 'transcripts')),
        },
        object,
      ),
      'rates',
    ),
    requests: z.looseObject({ sent: count, cached: count, same: count }, object),
    usage,
    losses: list(loss, 'losses'),
    redacted: counts,
    baseline: z.nullable(baseline),
    left_out: z.exactOptional(list(z.looseObject({ why: text, count, paths: texts }, object), 'what was left out')),
    error: z.exactOptional(
      z.nullable(z.looseObject({ kind: text, message: text, details: texts, hint: textOrNull }, object)),
    ),
    svc_versions: z.exactOptional(texts),
    service: z.exactOptional(textOrNull),
    paths: z.exactOptional(z.nullable(texts)),
    options: z.exactOptional(z.nullable(z.record(z.string(), z.unknown(), object))),
    attempts: z.exactOptional(z.nullable(ordinal)),
    confirm_on_fail: z.exactOptional(z.nullable(yesOrNo)),
    unmatched: z.exactOptional(list(unmatched, 'rules')),
    notes: z.exactOptional(texts),
    cases: list(reportCase, 'cases'),
  },
  object,
)

/**
 * The report of a document that has the shape; what its policy need not have is undefined, and what an earlier version
 * did not record is unknown: null, or an empty list.
 */
export const asReport = ({ policy, rates, ...document }: z.infer<typeof reportShape>): CheckReport => ({
  ...{ svc_versions: [], service: null, paths: null, options: null, attempts: null, confirm_on_fail: null },
  ...{ error: null, unmatched: [], notes: [], left_out: [] },
  ...document,
  rates: rates.map(({ culprits = [], common = null, ...rate }) => ({ ...rate, common, culprits })),
  baseline: document.baseline && { ...document.baseline, sha256: document.baseline.sha256 ?? null },
  cases: document.cases.map((each) => ({ ...each, before_signals: each.before_signals ?? null })),
  policy: {
    ...policy,
    ...{ allowed: policy.allowed, confidence: policy.confidence },
    ...{ maxTokens: policy.maxTokens, deadlineMs: policy.deadlineMs },
  },
})
