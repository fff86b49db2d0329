import { type CheckReport, gaps, indeterminates, type ReportError, results, scale } from '@svc/report-viewer'
import * as z from 'zod/mini'
import { checked } from '../../config/index.js'
import { CliError, exit } from '../../exit.js'
import type { Io } from '../../io/index.js'
import { count, cut } from '../../terminal/index.js'

const words = {
  what: 'the report',
  hint: 'give what `svc check` wrote with --json or --report json=FILE, whole and as it was',
}

/** The report in a file, or on standard input for `-`; else an error that says what the file holds, and where. */
export async function readReport(io: Io, path: string): Promise<CheckReport> {
  const text = textIn(await bytesOf(io, path))
  const safeParse = (value: unknown) => {
    const issue = schemaIssue(value)
    if (issue) return { success: false as const, error: { issues: [issue] } }
    const result = reportShape.safeParse(value)
    if (!result.success) return { success: false as const, error: { issues: firstOf(result.error.issues) } }
    // As it stands in the document, with the names in their order.
    return { success: true as const, data: value as typeof result.data }
  }
  const report = asReport(await checked(path, text, { safeParse }, () => [], words))
  if (report.error) throw endedEarly(path, report.error)
  return report
}

/** Without the transcripts of such a run, others could pass that should not. */
const endedEarly = (path: string, { message, details }: ReportError) =>
  new CliError(exit.notJudged, `${path}: the check that wrote this ended before it could judge.`, {
    details: [message, ...details],
    hint: 'run that check again',
  })

async function bytesOf(io: Io, path: string): Promise<Uint8Array> {
  if (path === '-') return io.readStdin()
  try {
    return await io.readFile(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    const why = code === 'ENOENT' ? 'there is no such report' : `the report cannot be read (${code})`
    throw new CliError(exit.input, `${path}: ${why}.`, { cause })
  }
}

/** A shell of Windows writes UTF-16 where it redirects what a command prints. */
const textIn = (bytes: Uint8Array): string =>
  new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes)

interface Issue {
  code: string
  path: PropertyKey[]
  message: string
}

/** What the document is, where it is not the report of a check. */
function schemaIssue(value: unknown): Issue | undefined {
  const wanted = 'expected "svc/check@1"'
  if (typeof value !== 'object' || value === null || !('schema' in value)) {
    return { code: 'no_report', path: [], message: 'expected a report, an object whose schema is "svc/check@1"' }
  }
  const { schema } = value
  if (schema === 'svc/check@1') {
    if ('cases' in value) return undefined
    return { code: 'no_cases', path: [], message: 'expected "cases", without which it is a part of a report' }
  }
  const message =
    schema === 'svc/error@1'
      ? `${wanted}, found "svc/error@1": the check that wrote this failed before it could judge`
      : /^svc\/check@\d+$/.test(String(schema))
        ? `${wanted}, found ${JSON.stringify(schema)}: another version of svc wrote this`
        : typeof schema === 'string'
          ? `${wanted}, found ${cut(JSON.stringify(schema), 40)}: this is no report of a check`
          : wanted
  return { code: 'other_schema', path: ['schema'], message }
}

const shown = 5

/** A report of ten thousand cases can be wrong in as many places. */
function firstOf(issues: readonly Issue[]): Issue[] {
  const first = issues.slice(0, shown)
  const last = first.at(-1)
  const more = issues.length - first.length
  if (more === 0 || !last) return first
  return [...first.slice(0, -1), { ...last, message: `${last.message}; and ${count(more, 'more place')}` }]
}

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
const natural = z.int(counted).check(z.gte(0, counted))
const ordinals = { error: 'expected a whole number from 1' }
const ordinal = z.int(ordinals).check(z.gte(1, ordinals))
const position = z.nullable(z.int({ error: 'expected a whole number or null' }))
const amounts = { error: 'expected a number from 0' }
const amount = z.number(amounts).check(z.gte(0, amounts))
const shares = { error: 'expected a share from 0 to 1' }
const share = z.number(shares).check(z.gte(0, shares), z.lte(1, shares))
const counts = z.record(z.string(), natural, { error: 'expected an object of numbers by name' })
const every = <Word extends string>(words: readonly Word[]) =>
  z.looseObject(Object.fromEntries(words.map((word) => [word, natural])) as Record<Word, typeof natural>, object)

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
    before_signals: z.nullable(texts),
    turns: z.exactOptional(list(z.looseObject({ role: text, content: text, ...place }, object), 'turns')),
  },
  object,
)

const baseline = z.looseObject(
  {
    path: text,
    sha256: textOrNull,
    missing: list(
      z.looseObject({ ...identity, outcome: text, outside: z.exactOptional(yesOrNo) }, object),
      'transcripts',
    ),
    counts: every(changes),
    edited: natural,
    stale: textOrNull,
    updated: yesOrNo,
  },
  object,
)
const losses = ['dropped', 'cut', 'merged', 'invented', 'changed'] as const
const loss = z.looseObject({ code: oneOf(losses), what: text, why: text, count: natural }, object)
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
    ...{ exit: natural, line: text, annotator: text },
    versions: list(version, 'versions'),
    policy,
    ...{ total: natural, judged: natural, results: every(results), outcomes: counts, signals: counts, flaky: natural },
    rates: list(
      z.looseObject(
        {
          ...{ ...rate, hits: natural, n: natural },
          ...{ verdict: oneOf(['kept', 'exceeded', 'cannot tell']), before: z.nullable(share) },
          common: z.nullable(z.looseObject({ hits: natural, n: natural }, object)),
          culprits: list(z.looseObject(identity, object), 'transcripts'),
        },
        object,
      ),
      'rates',
    ),
    requests: z.looseObject({ sent: natural, cached: natural, same: natural }, object),
    usage,
    losses: list(loss, 'losses'),
    redacted: counts,
    baseline: z.nullable(baseline),
    left_out: list(z.looseObject({ why: text, count: natural, paths: texts }, object), 'what was left out'),
    error: z.nullable(z.looseObject({ kind: text, message: text, details: texts, hint: textOrNull }, object)),
    svc_versions: texts,
    service: textOrNull,
    paths: z.nullable(texts),
    options: z.nullable(z.record(z.string(), z.unknown(), object)),
    attempts: z.nullable(ordinal),
    confirm_on_fail: z.nullable(yesOrNo),
    unmatched: list(unmatched, 'rules'),
    notes: texts,
    cases: list(reportCase, 'cases'),
  },
  object,
)

/** The report of a document that has the shape; what its policy need not have is undefined. */
const asReport = ({ policy, ...document }: z.infer<typeof reportShape>): CheckReport => ({
  ...document,
  policy: {
    ...policy,
    ...{ allowed: policy.allowed, confidence: policy.confidence },
    ...{ maxTokens: policy.maxTokens, deadlineMs: policy.deadlineMs },
  },
})
