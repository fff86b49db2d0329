import type { AnnotationSummary, UsageInfo } from '@svc/client'
import type { Loss } from '@svc/transcripts'
import type { Policy, Rate } from './policy.js'

/** One rule that a transcript breaks; `known` where the baseline has it, so that it fails nothing. */
export type Reason = { known: boolean } & (
  | { rule: 'outcome'; outcome: string }
  | { rule: 'forbidden' | 'not allowed' | 'required'; signal: string }
)

/**
 * Why a transcript could not be judged. The last four are of files and links: it holds no transcript; it exists and cannot
 * be read; the link leads nowhere; the link leads out of what was named.
 */
export const gaps = [
  ...(['indeterminate', 'unknown outcome', 'malformed answer'] as const),
  ...(['not annotated', 'not comparable', 'over budget'] as const),
  ...(['no transcript', 'unreadable', 'broken link', 'link not followed'] as const),
] as const

/** Why a transcript could not be judged, and what there is to say of it. */
export interface Gap {
  why: (typeof gaps)[number]
  /** In words, where there is more to say. */
  detail: string | null
  /** Running again may close it. */
  temporary: boolean
}

/** A transcript as a report names it. */
export type Named = Pick<ReportCase, 'path' | 'record' | 'part' | 'name'>

/** How a rate was kept. */
export interface RateReport extends Rate {
  hits: number
  /** Transcripts with an outcome on the scale. */
  n: number
  verdict: 'kept' | 'exceeded' | 'cannot tell'
  /** Of the transcripts that the baseline has too, their share in it, from 0 to 1; null where there are none. */
  before: number | null
  /** Those transcripts: how many, and how many count for the rate now; null where there are none. */
  common: { hits: number; n: number } | null
  /** The transcripts that count for a rate that is exceeded; none for any other. */
  culprits: Named[]
}

/** A rule that matched nothing in the run: it may be mistyped. */
export interface Unmatched {
  /** A signal that fired nowhere, an outcome that no transcript has, or a pattern that matches no file. */
  kind: 'signal' | 'outcome' | 'pattern'
  name: string
  /** Where the policy names it. */
  rules: ('forbidden' | 'allowed' | 'required' | 'rates' | 'overrides')[]
  /** A signal that fired and has nearly the same name; null where there is none. */
  meant: string | null
}

/** A signal that fired, and where its evidence stands in the user's file; a position that is not known is null. */
export interface ReportSignal {
  key: string
  evidence: string
  /** As the service gave it: 1-indexed, and perhaps no turn of the transcript at all. */
  turn: number | null
  line: number | null
  column: number | null
}

/** A turn as it was sent, and where it stands in the user's file. */
export interface ReportTurn {
  role: string
  content: string
  line: number | null
  column: number | null
}

/**
 * How one transcript did. `known`: it breaks rules, and none that the baseline does not have. `warned` and `ignored`:
 * indeterminate, and the policy lets that be.
 */
export const results = ['failed', 'not judged', 'known', 'warned', 'ignored', 'passed'] as const
export type Result = (typeof results)[number]

/** Against the baseline. `new`: it was not in it. */
export type Change = 'new' | 'worse' | 'same' | 'better'

/** One transcript of a check. */
export interface ReportCase {
  /** Its file as it was named, its record in it from 1, and its part from 1. */
  path: string
  record: number
  part: number
  name: string
  /** Where it begins in its file. */
  line: number | null
  column: number | null
  result: Result
  /** Null where there is no annotation; so are the fields that come from one. */
  outcome: string | null
  reasons: Reason[]
  gap: Gap | null
  summary: AnnotationSummary | null
  outcome_notes: string | null
  annotator_version: string | null
  taxonomy_version: string | null
  usage: UsageInfo | null
  signals: ReportSignal[]
  /** `asked` in this run, `cached` from another, or the `same` text as a transcript before it. */
  answer: 'asked' | 'cached' | 'same' | null
  /** The outcome of each attempt, in their order. */
  votes: string[]
  /** Attempts differed in whether it fails. */
  flaky: boolean
  /** Null without a baseline. */
  change: Change | null
  /** The outcome in the baseline, and the signals that had fired; null where the baseline does not have it. */
  before: string | null
  before_signals: readonly string[] | null
  /** What was sent; only where a report shows it. */
  turns?: readonly ReportTurn[]
}

/** A transcript of the baseline, where it stood and what it was judged to be. */
export type MissingTranscript = Named & {
  outcome: string
  /** Its file was not looked at. */
  outside?: boolean
}

/** What a check says of the baseline that it was held against. */
export interface BaselineReport {
  path: string
  /** SHA-256 of what it says, hex; null if there is none yet. */
  sha256: string | null
  /** Transcripts of the baseline that were not found. */
  missing: MissingTranscript[]
  counts: Record<Change, number>
  /** Transcripts with an external id of the baseline and other content. */
  edited: number
  /** What makes it out of date, in words; null where nothing does. */
  stale: string | null
  /** It was written by this run. */
  updated: boolean
}

/** Why a check ended before it could judge, in the words of its error. */
export interface ReportError {
  kind: string
  message: string
  details: readonly string[]
  hint: string | null
}

/** What a check came to: plain data, from which every report is drawn, and the exit code. Cases stand as in the input. */
export interface CheckReport {
  schema: 'svc/check@1'
  verdict: 'passed' | 'failed' | 'not judged'
  exit: number
  /** The verdict in one line. */
  line: string
  /** Null where the run came to its end; else nothing was judged, and what was not known yet has its default. */
  error: ReportError | null
  annotator: string
  /** Those that the answers carry, each once. */
  versions: { annotator_version: string; taxonomy_version: string }[]
  /** The versions of svc that judged. */
  svc_versions: readonly string[]
  /** The address of the service, without credentials. */
  service: string | null
  /** What was checked, as it was named. */
  paths: readonly string[] | null
  /** The options that the annotator was asked with. */
  options: Record<string, unknown> | null
  /** How often each transcript was asked about at most, and whether only to confirm a failure. */
  attempts: number | null
  confirm_on_fail: boolean | null
  policy: Policy
  total: number
  judged: number
  /** Transcripts by result, outcomes, and transcripts in which a signal fired. */
  results: Record<Result, number>
  outcomes: Record<string, number>
  signals: Record<string, number>
  flaky: number
  rates: RateReport[]
  unmatched: Unmatched[]
  /** What else the run could not do as it should, a sentence each, such as using the cache. */
  notes: readonly string[]
  /**
   * Annotation requests that were sent, as the service counts them: also those that were sent again, and those that it
   * refused. Answers that came from the cache, and those that another transcript had, too.
   */
  requests: { sent: number; cached: number; same: number }
  /** Of the requests that were sent. */
  usage: UsageInfo
  losses: Loss[]
  redacted: Record<string, number>
  baseline: BaselineReport | null
  /** Paths that were neither read nor counted, by reason, with the first of each. */
  left_out: { why: string; count: number; paths: string[] }[]
  cases: ReportCase[]
}

/** The circumstances of a run on which the answers depend, beside the transcripts and the annotator. */
export type Circumstances = Pick<
  CheckReport,
  'svc_versions' | 'service' | 'paths' | 'options' | 'attempts' | 'confirm_on_fail'
>
