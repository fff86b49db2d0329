import * as z from 'zod/mini'
import { policyInForce, rateInForce } from '../policy/index.js'
import { changes, results } from '../terms.js'

// Objects are open, because a later version may add fields.
const asObject = { error: 'expected an object' }
const text = z.string({ error: 'expected a text' })
const textOrNull = z.nullable(z.string({ error: 'expected a text or null' }))
const flag = z.boolean({ error: 'expected true or false' })
const list = <Shape extends z.ZodMiniType>(of: Shape, what: string) =>
  z.array(of, { error: `expected a list of ${what}` })
const texts = z.readonly(list(text, 'texts'))
const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, { error: `expected one of ${words.join(', ')}` })
const oneOrNull = <const Word extends string>(words: readonly Word[]) =>
  z.nullable(z.enum(words, { error: `expected one of ${words.join(', ')}, or null` }))
const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object(shape, asObject)
const wholeFrom = (least: number) => {
  const error = { error: `expected a whole number from ${least}` }
  return z.int(error).check(z.gte(least, error))
}
const natural = wholeFrom(0)
const ordinal = wholeFrom(1)
const asHash = { error: 'expected a SHA-256 in hex' }
const sha256 = z.string(asHash).check(z.regex(/^[\da-f]{64}$/, asHash))
const position = z.nullable(z.int({ error: 'expected a whole number or null' }))
const asShare = { error: 'expected a share from 0 to 1' }
const share = z.number(asShare).check(z.gte(0, asShare), z.lte(1, asShare))
const counts = z.record(z.string(), natural, { error: 'expected an object of numbers by name' })
const countOfEach = <Word extends string>(words: readonly Word[]) =>
  object(Object.fromEntries(words.map((word) => [word, natural])) as Record<Word, typeof natural>)

// The interface sets no lower bound. Null is unknown, because an answer did not show it.
const used = z.nullable(z.number({ error: 'expected a number or null' }))
const usage = object({ tokens_in: used, tokens_out: used, latency_ms: used })

const acceptance = object({
  /** Why the finding is accepted. */
  reason: z.exactOptional(text),
  /** Who accepted it. */
  author: z.exactOptional(text),
  /** The last day in UTC on which it is accepted, as in `2026-12-31`; absent for ever. */
  expires: z.exactOptional(text),
})
/** Absent unless the baseline has the finding with a reason, an author or an expiry. */
const waiver = { known: z.boolean(), accepted: z.exactOptional(acceptance) }
const reason = z.union(
  [
    z.object({ rule: z.literal('outcome'), outcome: z.string(), ...waiver }),
    z.object({
      rule: z.enum(['forbidden', 'not allowed', 'required', 'custom']),
      signal: z.string(),
      ...waiver,
    }),
  ],
  { error: 'expected a rule that is broken, by an outcome or by a signal' },
)
/** The reasons why a transcript is not judged. The last six concern transcripts that are not found, and files and links that hold no readable one. */
const gaps = [
  'indeterminate',
  'unknown outcome',
  'malformed answer',
  'rule failed',
  'not annotated',
  'not comparable',
  'over budget',
  'not found',
  'no transcript',
  'unreadable',
  'incomplete',
  'broken link',
  'link not followed',
] as const

const gap = object({
  why: oneOf(gaps),
  detail: textOrNull,
  /** Running the check again may judge the transcript. */
  temporary: flag,
})
const placeFields = {
  path: text,
  record: ordinal,
  part: ordinal,
  name: text,
  /** Its id in its own system; absent if it has none. */
  external_id: z.exactOptional(text),
}
const namedFields = {
  ...placeFields,
  /** SHA-256 in hex of the messages, or of the bytes of a file that is not readable as a transcript; null for a path that cannot be read. */
  sha256: z.nullable(sha256),
  /** Its number among those of equal content in the run, from 1; without `sha256` among those of its path. */
  occurrence: ordinal,
}
const place = { line: position, column: position }
const named = object(namedFields)
const signal = object({
  /** The name of the signal, or of the rule of the policy that found this. */
  key: text,
  evidence: text,
  /** The message of a rule of the policy; absent for a signal of the annotator. */
  message: z.exactOptional(text),
  /** 1-indexed, as the service gave it; may be out of range. */
  turn: position,
  ...place,
})
const turn = object({ role: text, content: text, ...place })

const sources = ['asked', 'cached', 'same'] as const

const versions = object({ annotator_version: text, taxonomy_version: text })

const attempt = object({
  outcome: text,
  /** It breaks a rule, known from the baseline or not. */
  fails: flag,
  from: oneOf(sources),
  annotator_version: text,
  taxonomy_version: text,
})

const reportCase = object({
  ...namedFields,
  /** A hash of the records of the file that it was read from, as `parse` gives it with the option `hash`. Absent if the caller gave none. */
  source_hash: z.exactOptional(text),
  ...place,
  result: oneOf(results),
  /** Null without an annotation, like the other fields that come from one. */
  outcome: textOrNull,
  reasons: list(reason, 'broken rules'),
  gap: z.nullable(gap),
  summary: z.nullable(
    object({
      title: text,
      keywords: list(text, 'texts'),
      summary: text,
      quality_concerns: text,
      user_intent: text,
      domain: text,
    }),
  ),
  outcome_notes: textOrNull,
  annotator_version: textOrNull,
  taxonomy_version: textOrNull,
  usage: z.nullable(usage),
  signals: list(signal, 'signals'),
  /** `asked` in this run, `cached` from an earlier one, or the `same` text as an earlier transcript. */
  answer: oneOrNull(sources),
  /** The outcome of each attempt, in order. */
  votes: texts,
  /** The answer of each attempt, in order; absent unless there are several. */
  answers: z.exactOptional(list(attempt, 'answers')),
  /** The number of merged reports whose run asked about it; of their results the worse one counts. Absent unless it is another one than `answer` says. */
  runs: z.exactOptional(natural),
  /** Some attempts fail the transcript and others do not. */
  flaky: flag,
  /** Null without a baseline. */
  change: oneOrNull(changes),
  /** The outcome in the baseline; null if the baseline does not have the transcript. */
  before: textOrNull,
  before_signals: z.nullable(texts),
  /** The values of each tag; a tag is missing if the file could not be read. Absent without tags. */
  tags: z.exactOptional(z.record(z.string(), texts, { error: 'expected an object of lists by name' })),
  /** The value of the field `cluster` of the policy: transcripts of one cluster count as one in a comparison. Absent without one. */
  cluster: z.exactOptional(text),
  /** The turns that were sent; absent unless a report shows them. */
  turns: z.exactOptional(z.readonly(list(turn, 'turns'))),
})

const rateVerdicts = ['within_limit', 'exceeded', 'cannot tell'] as const

const rateReport = object({
  ...rateInForce.shape,
  /** With `by`: the value of the tag; null for the transcripts without a value. */
  slice: z.exactOptional(textOrNull),
  hits: natural,
  /** The number of transcripts with an outcome on the scale. */
  n: natural,
  verdict: oneOf(rateVerdicts),
  /** The share in the baseline of the transcripts that the baseline also has; null if there are none. */
  before: z.nullable(share),
  /** The hits among those transcripts now. */
  common: z.nullable(object({ hits: natural, n: natural })),
  /** The hits, if the rate is exceeded. */
  culprits: list(named, 'transcripts'),
})

const baseline = object({
  path: text,
  /** SHA-256 of the baseline in hex; null if there is none yet. */
  sha256: textOrNull,
  /** Transcripts of the baseline that this run did not find; `outside` if the run did not read their file. */
  missing: list(object({ ...placeFields, outcome: text, outside: z.exactOptional(flag) }), 'transcripts'),
  counts: countOfEach(changes),
  /** The number of transcripts with an external id of the baseline and other content. */
  edited: natural,
  /** Why an update of the baseline is recommended; null if it is not, as in every run that does not pass. */
  stale: textOrNull,
  /** This run wrote the baseline. */
  updated: flag,
  /** The findings that this run wrote to the baseline and that it did not accept before. Absent unless `updated`. */
  accepted: z.exactOptional(list(object({ ...placeFields, outcome: text, finding: reason }), 'findings')),
  /** The entries that this run removed from the baseline. Absent unless `updated`. */
  dropped: z.exactOptional(list(object({ ...placeFields, outcome: text }), 'transcripts')),
})

const unmatched = object({
  /** A signal that fired nowhere, or a pattern that matches no file. */
  kind: oneOf(['signal', 'pattern']),
  name: text,
  rules: z.array(oneOf(['forbidden', 'allowed', 'required', 'rates', 'overrides']), {
    error: 'expected a list of rules',
  }),
  /** A signal with a similar name that fired; null if there is none. */
  meant: textOrNull,
})

const slice = object({
  tag: text,
  /** Null for the transcripts without a value. */
  value: textOrNull,
  total: natural,
  judged: natural,
  results: countOfEach(results),
})

const losses = ['dropped', 'cut', 'merged', 'invented', 'changed'] as const

const selection = object({
  /** The size of the sample; null without one. */
  sample: z.nullable(ordinal),
  /** The seed of the sample. */
  seed: textOrNull,
  /** The report whose failed transcripts were checked; null without one. */
  only_failed: textOrNull,
  /** The value of each field that a transcript must have. */
  where: z.record(z.string(), text, { error: 'expected an object of texts by name' }),
  /** The number of transcripts that were found and not checked. */
  not_selected: natural,
})

const shard = object({
  /** The shards that this report holds, from 1: one, or those that were merged. */
  numbers: list(ordinal, 'numbers'),
  /** The number of shards of the whole check. */
  count: ordinal,
  /** The number of transcripts of all shards; absent if the run ended before it knew them. */
  total: z.exactOptional(natural),
  /** SHA-256 in hex of the content of all shards, which each of them must have read; absent like `total`. */
  input: z.exactOptional(sha256),
  /** The limits of the policy that each shard keeps by itself, and those that only the merge decides. */
  own_limits: texts,
  merged_limits: texts,
})

/** The causes of another verdict of a transcript, beside other rules. */
export const causes = ['content', 'judge', 'repeat', 'content_or_judge'] as const
export type Cause = (typeof causes)[number]

const changeCounts = {
  /** Transcripts that passed and now fail, and the reverse. */
  now_fail: natural,
  no_longer_fail: natural,
}

export const differenceVerdicts = ['worse', 'better', 'no difference found'] as const
const differenceVerdict = oneOf(differenceVerdicts)

const pairsOfCause = object({
  /** Transcripts of both reports that were judged in both; equal ones count once. */
  pairs: natural,
  /** Clusters of these, which the test counts as one; null if each pair is one by itself. */
  clusters: z.nullable(natural),
  ...changeCounts,
  /** By an exact sign test at 5 %, one-sided in each direction. */
  verdict: differenceVerdict,
})

const sideOfChange = object({
  ...placeFields,
  sha256: z.nullable(sha256),
  ...place,
  outcome: textOrNull,
  /** Why it fails, or why it passes. */
  why: text,
})

const sideOfComparison = object({
  /** The name of the report. */
  from: text,
  verdict: oneOf(['passed', 'failed', 'not judged']),
  exit: natural,
  line: text,
  annotator: text,
  versions: list(versions, 'versions'),
  total: natural,
  judged: natural,
  ended_at: z.exactOptional(text),
  commit: z.exactOptional(text),
})

const settings = list(object({ what: text, old: text, new: text }), 'settings')
const number = z.number({ error: 'expected a number' })
const unpaired = object({ total: natural, fail: natural })
const sample = object({ judged: natural, fail: natural })

const labelCounts = object({ good: natural, bad: natural, unsure: natural })
const byStratum = object({ failed: natural, passed: natural })

const labelFigures = object({
  /** The file of the labels. */
  from: text,
  /** The number of labelled transcripts of the report, equal ones counted once. */
  transcripts: natural,
  /** The labels by the verdict of the report; `neither`: not judged, or indeterminate. */
  table: object({ failed: labelCounts, passed: labelCounts, neither: labelCounts }),
  /** Transcripts that a person chose, or that are of another sample: they give no rates. */
  chosen: natural,
  /** Labelled contents that the report does not have. */
  unknown: natural,
  /** By the sample that the report has whole; null without one, and while labels are missing. */
  rates: z.nullable(
    object({
      /** The share of bad transcripts in the sampled report, with its bounds (95 %). */
      bad: object({ share, least: share, most: share }),
      /** The share of the bad transcripts that fail, and of the good ones that pass; null without any. */
      true_positive: z.nullable(share),
      true_negative: z.nullable(share),
      /** Cohen's κ of the verdicts and the labels; null if it is not defined. */
      kappa: z.nullable(number),
      /** The lower bound of TPR + TNR − 1 is above 0; null if only one verdict occurs. */
      tells_apart: z.nullable(flag),
    }),
  ),
  /** The labels that a part of the sample lacks; null without a sample. */
  missing: z.nullable(byStratum),
  people: object({
    names: texts,
    /** For each two of them: the transcripts that both labelled, and those with the same label. */
    agreement: list(object({ a: text, b: text, common: natural, same: natural }), 'pairs'),
  }),
  /** Facts about the labels, a sentence each. */
  notes: texts,
})

/** The JSON document of a comparison of two reports. */
export const comparisonShape = object({
  schema: z.literal('svc/comparison@1'),
  verdict: oneOf([...differenceVerdicts, 'cannot tell']),
  /** 100 if it is worse; 101, or 75 if another run may tell, if it cannot tell; else 0. */
  exit: natural,
  /** The verdict in one sentence. */
  line: text,
  /** Why it cannot tell, a sentence each. */
  reasons: texts,
  /** The causes that decide: `content`, or `content` and `judge`, whose changes then add up. */
  count: list(oneOf(causes), 'causes'),
  /** The pairs of each cause. */
  causes: object({
    /** Other content, same judge. */
    content: pairsOfCause,
    /** Same content, other judge. */
    judge: pairsOfCause,
    /** Same content and judge, asked again. */
    repeat: pairsOfCause,
    /** Other content and other judge: never attributed. */
    content_or_judge: pairsOfCause,
  }),
  /** The settings of the judge that differ. */
  judge: settings,
  /**
   * Of the pairs of the cause `judge`, the number that would now fail by noise alone; null unless both reports have three or
   * more attempts without `confirm_on_fail`.
   */
  judge_noise: z.nullable(number),
  /** The rules that differ, and the verdicts of OLD that NEW's rules alone change. */
  rules: object({ differences: settings, ...changeCounts }),
  /** Pairs of the same content and judge, whose answers were not asked for again. */
  unchanged: natural,
  /** Pairs of the same source records and other content: they were read otherwise, and are not compared. */
  read_differently: natural,
  /** Pairs that equal another one, and so do not count. */
  equal: natural,
  /** Pairs without a judgement: in OLD, and in NEW alone. */
  not_judged: natural,
  lost: natural,
  /** The shares that pass, of the pairs that decide; null without any. */
  pass_rate: z.nullable(object({ old: share, new: share })),
  /** How much the pass rate fell, with its bounds (90 %); null without pairs, or with clusters. */
  drop: z.nullable(object({ share: number, least: number, most: number })),
  /** The smallest drop that these pairs find nine times in ten; null if there is none, or with clusters. */
  smallest_drop: z.nullable(share),
  /** The limit of the policy for the drop; null without one. */
  max_drop: z.nullable(object({ max: share, verdict: oneOf(rateVerdicts) })),
  /** Transcripts of one report only. */
  added: unpaired,
  removed: unpaired,
  /** The reports as independent samples; null unless fewer than half of the transcripts are in both. Never decides. */
  independent: z.nullable(object({ old: sample, new: sample, verdict: differenceVerdict })),
  /** The reports. */
  old: sideOfComparison,
  new: sideOfComparison,
  /** Both reports beside the labels of people; absent without labels. */
  labels: z.exactOptional(object({ old: labelFigures, new: labelFigures })),
  /** The transcripts with another verdict, those that now fail first. */
  changes: list(
    object({
      cause: oneOf([...causes, 'rules']),
      change: oneOf(['now fails', 'no longer fails']),
      old: sideOfChange,
      new: sideOfChange,
    }),
    'changes',
  ),
})

/** The JSON document of a check. */
export const reportShape = object({
  schema: z.literal('svc/check@2'),
  verdict: oneOf(['passed', 'failed', 'not judged']),
  exit: natural,
  /** The verdict in one line. */
  line: text,
  annotator: text,
  /** Each version that an answer carries, once. */
  versions: list(versions, 'versions'),
  policy: policyInForce,
  total: natural,
  judged: natural,
  results: countOfEach(results),
  outcomes: counts,
  signals: counts,
  flaky: natural,
  /** The agreement of the attempts on one transcript; absent without several attempts, and with `confirm_on_fail`. */
  self_agreement: z.exactOptional(
    object({
      /** The share of pairs of attempts that agree whether the transcript fails, with its bounds (90 %). */
      share,
      least: share,
      most: share,
      transcripts: natural,
    }),
  ),
  rates: list(rateReport, 'rates'),
  /** The counts for each value of each tag. A transcript with several values is in several slices. Absent without tags. */
  slices: z.exactOptional(list(slice, 'slices')),
  /** Requests as the service counts them, retried and refused ones included; answers from the cache; answers shared by equal transcripts. */
  requests: object({ sent: natural, cached: natural, same: natural }),
  /** The usage of the requests that were sent. */
  usage,
  /** The tokens of the answers from the cache, and of those shared by equal transcripts. */
  saved: z.exactOptional(object({ tokens_in: used, tokens_out: used })),
  /** The cost of `usage` and `saved` by the prices of the policy; absent without prices. */
  cost: z.exactOptional(object({ currency: text, spent: used, saved: used })),
  losses: list(object({ code: oneOf(losses), what: text, why: text, count: natural }), 'losses'),
  redacted: counts,
  baseline: z.nullable(baseline),
  /** Paths that were skipped, by reason, with the first of each. */
  left_out: list(object({ why: text, count: natural, paths: list(text, 'texts') }), 'skipped paths'),
  /** Why the run ended before it could judge; fields that were not known by then have their defaults. */
  error: z.nullable(object({ kind: text, message: text, details: texts, hint: textOrNull })),
  /** The versions of svc that judged. */
  svc_versions: texts,
  /** The end of the check in UTC, as in `2026-11-25T08:00:00.000Z`; of merged reports the latest. */
  ended_at: z.exactOptional(text),
  /** The commit that was checked, as CI names it; absent if it names none. */
  commit: z.exactOptional(text),
  /** The base URL of the service, without credentials. */
  service: textOrNull,
  /** The checked paths, as they were given. */
  paths: z.nullable(texts),
  /** The filters of the stored transcripts that were checked; absent for others. */
  filters: z.exactOptional(z.record(z.string(), text, { error: 'expected an object of texts by name' })),
  /** The annotation options of each request. */
  options: z.nullable(z.record(z.string(), z.unknown(), asObject)),
  attempts: z.nullable(ordinal),
  confirm_on_fail: z.nullable(flag),
  /** The transcripts that were checked, of those found; absent if all were. */
  selection: z.exactOptional(selection),
  /** The number of unchanged transcripts that were asked about again, past the cache. Absent without `--control`. */
  control: z.exactOptional(natural),
  /** The shard that was checked; absent without shards. */
  shard: z.exactOptional(shard),
  /** The reports that were merged into this one; absent unless there are several. */
  merged_from: z.exactOptional(
    list(object({ from: text, sha256, ended_at: z.exactOptional(text), commit: z.exactOptional(text) }), 'reports'),
  ),
  /** The report that the check was compared with; absent without one. */
  reference: z.exactOptional(
    object({
      from: text,
      /** SHA-256 of the report in hex; null if there is none, and there need not be. */
      sha256: z.nullable(sha256),
      /** Null in the report of a shard, of which only the merge is compared, and without a report. */
      comparison: z.nullable(comparisonShape),
    }),
  ),
  /** The report beside the labels of people; absent without labels. They change no verdict. */
  labels: z.exactOptional(labelFigures),
  /** The run was cut short or must accept all: it passes only if every transcript is judged, whatever `minJudged` is. */
  must_judge_all: flag,
  /** Rules that matched nothing in this run, and so may be misspelled. */
  unmatched: list(unmatched, 'rules'),
  /** Other problems of the run, a sentence each. */
  notes: texts,
  /** In the order of the input. */
  cases: list(reportCase, 'cases'),
})

/** The result of a check, from which every report and the exit code are derived. */
export type CheckReport = z.infer<typeof reportShape>

/** The comparison of two reports, from which its forms and the exit code are derived. */
export type Comparison = z.infer<typeof comparisonShape>
export type ComparedChange = Comparison['changes'][number]
/** Labels of people beside the verdicts of a report. */
export type LabelFigures = z.infer<typeof labelFigures>
export type PairsOfCause = z.infer<typeof pairsOfCause>

/** A report, and where it is from. */
export interface NamedReport {
  /** Its file or another name, as messages show it. */
  from: string
  /** The result of `check`, or the content of a JSON report. */
  report: CheckReport
}

/** The result of a transcript in a report. */
export type ReportCase = z.infer<typeof reportCase>
export type ReportSignal = z.infer<typeof signal>
export type ReportTurn = z.infer<typeof turn>
export type ReportError = NonNullable<CheckReport['error']>
/** A rule that a transcript breaks; `known` if the baseline accepts it, so that it fails nothing. */
export type Reason = z.infer<typeof reason>
/** Why, by whom and until when a finding is accepted. */
export type Acceptance = z.infer<typeof acceptance>
export type Gap = z.infer<typeof gap>
export type Named = z.infer<typeof named>
export type Slice = z.infer<typeof slice>
export type RateReport = z.infer<typeof rateReport>
export type BaselineReport = z.infer<typeof baseline>
export type MissingTranscript = BaselineReport['missing'][number]
export type NewlyAccepted = NonNullable<BaselineReport['accepted']>[number]
export type Selection = z.infer<typeof selection>
export type ReportShard = z.infer<typeof shard>
export type Unmatched = z.infer<typeof unmatched>

/** The facts of a run on which the answers depend, beside the transcripts and the annotator. */
export type Circumstances = Pick<CheckReport, (typeof circumstances)[number]>
export const circumstances = [
  'svc_versions',
  'ended_at',
  'commit',
  'service',
  'paths',
  'filters',
  'options',
  'attempts',
  'confirm_on_fail',
  'selection',
  'control',
  'shard',
  'merged_from',
] as const
