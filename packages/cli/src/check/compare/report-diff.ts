import type { CheckReport, Rate, RateReport, Reason, ReportCase, ReportSignal } from '@svc/report-viewer'

/**
 * How a transcript changed from one report to the other, the worst first. `worse` and `better` are about what fails and
 * about outcomes on the scale, `both` where one is so and the other so; `unjudged` was judged, `judged` was not; `other`
 * is any other change of its outcome, its signals or its steadiness.
 */
export const moves = ['worse', 'both', 'unjudged', 'judged', 'added', 'other', 'gone', 'better'] as const
export type Move = (typeof moves)[number]

/** A transcript as one of the reports has it. */
export type CaseSide = Pick<
  ReportCase,
  'path' | 'record' | 'part' | 'name' | 'line' | 'column' | 'result' | 'outcome' | 'gap' | 'flaky'
>

/** What is only in the report after, and what is only in the one before. */
export interface Turnover<Each> {
  began: Each[]
  ceased: Each[]
}

/** One transcript that changed; null where a report does not have it. */
export interface CaseDiff {
  move: Move
  before: CaseSide | null
  after: CaseSide | null
  /** Broken rules that make it fail. */
  reasons: Turnover<Reason>
  signals: Turnover<ReportSignal>
}

/** What a report says of all its transcripts. */
export type ReportSide = Pick<
  CheckReport,
  | 'verdict'
  | 'exit'
  | 'line'
  | 'annotator'
  | 'versions'
  | 'total'
  | 'judged'
  | 'results'
  | 'outcomes'
  | 'signals'
  | 'flaky'
>

/** A rate that changed; null where a policy does not have it. */
export interface RateDiff extends Pick<Rate, 'of'> {
  before: RateSide | null
  after: RateSide | null
}
export type RateSide = Pick<RateReport, 'max' | 'hits' | 'n' | 'verdict'>

/** What changed from one report to another: plain data, of which a text, a document and an exit code are made. */
export interface ReportDiff {
  schema: 'svc/report-diff@1'
  /** Something is worse: a transcript fails by what it did not fail by, or has a worse outcome, or a rate is exceeded. */
  worse: boolean
  /** False where the reports are of other annotators, versions or rules, to which any change may be due. */
  comparable: boolean
  /** What there is to know in one line. */
  line: string
  /** What the reports were not made alike in. */
  unlike: { what: string; before: string; after: string }[]
  before: ReportSide
  after: ReportSide
  /** Transcripts by how they changed, and those that did not. */
  moves: Record<Move | 'same', number>
  rates: RateDiff[]
  /** The worst first, then by place. */
  cases: CaseDiff[]
}
