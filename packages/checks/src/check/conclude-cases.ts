import { canonicalJson } from '@svc/text'
import {
  type Baseline,
  baselineReport,
  type CheckedPlaces,
  expiryNotes,
  foundBaseline,
  type NextBaseline,
} from '../baseline/index.js'
import {
  asAccepted,
  type Case,
  type CaseView,
  conclude,
  concludeError,
  type Facts,
  gateExits,
  notAnnotated,
  type RunEnd,
  reportCase,
  type Tags,
  withUnread,
} from '../judge/index.js'
import type { CheckReport, ReportCase } from '../report/index.js'
import { sumOfLosses, type Unread } from '../transcript.js'
import { digestOf } from '../values.js'
import type { Answers } from './ask-cases.js'
import type { Planned } from './plan.js'

export interface BaselineUse {
  path: string
  /** Undefined if there is none yet. */
  before: Baseline | undefined
  /** All results are accepted into it. */
  isUpdate: boolean
  places: CheckedPlaces
}

/** The cases as reports show them, and the baseline that accepts them all. */
export interface Judged {
  cases: ReportCase[]
  /** Undefined without an update, or if a transcript was not judged. */
  found: Baseline | undefined
}

export function judgeAnswers(
  { cases }: Answers,
  {
    annotator,
    identities,
    isComplete,
    baseline,
    view,
  }: {
    annotator: string
    identities: Planned['identities']
    isComplete: boolean
    baseline: BaselineUse | undefined
    view: CaseView
  },
): Judged {
  const isUpdate = baseline?.isUpdate === true
  const reported = (isUpdate ? asAccepted(cases) : cases).map((each) => reportCase(each, view))
  const { options } = cases[0]?.question.body ?? {}
  const found = isUpdate && isComplete ? foundBaseline({ annotator, options }, identities, reported) : undefined
  return { cases: reported, found }
}

export interface CheckFacts
  extends Omit<Facts, 'losses' | 'baseline' | 'mustJudgeAll' | 'requests' | 'usage' | 'saved'> {
  /** Pass only if every transcript is judged, whatever the policy allows. Default: false. */
  mustJudgeAll?: boolean
  planned: Planned
  answers: Answers
  unread: readonly Unread[]
  tagsOfPath(path: string): Tags
  baseline: BaselineUse | undefined
  /** The baseline that was written. */
  written?: NextBaseline | undefined
  /** As in `2026-11-27`. */
  today: string
}

export function concludeCases({ cases, found }: Judged, facts: CheckFacts): CheckReport {
  const { planned, answers, unread, tagsOfPath, baseline, written, today, ...rest } = facts
  const { requests, usage, saved } = answers
  const held = baseline?.isUpdate ? (written?.baseline ?? found) : baseline?.before
  return conclude(withUnread(cases, unread, tagsOfPath), {
    ...rest,
    notes: [...facts.notes, ...expiryNotes(cases, today)],
    losses: sumOfLosses(planned.cases.map(({ conversation }) => conversation)),
    requests,
    usage,
    saved,
    // An outage cut the run short, and a baseline that is not written accepts nothing.
    mustJudgeAll:
      facts.mustJudgeAll ||
      baseline?.isUpdate === true ||
      answers.cases.some(({ answered }) => answered?.ended === 'outage'),
    baseline: baseline
      ? baselineReport(
          { path: baseline.path, sha256: held ? digestOf(canonicalJson(held)) : null },
          cases,
          planned.matched,
          planned.identities,
          { isOutside: baseline.places.isOutside, written },
        )
      : null,
  })
}

/** The report of a run that ended before it could judge. Undefined tags: those of a path are not known. */
export function concludeEnd(
  end: RunEnd,
  known: { cases: readonly Case[]; unread: readonly Unread[]; tagsOfPath: ((path: string) => Tags) | undefined },
  facts: Partial<Facts>,
): CheckReport {
  const gap = notAnnotated(end.message, end.exit === gateExits.temporary)
  const cases = known.cases.map((each) => reportCase({ ...each, answered: undefined, gap }, { turns: false }))
  return concludeError(end, withUnread(cases, known.unread, known.tagsOfPath), facts)
}
