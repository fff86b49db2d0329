import type { Annotation } from '@svc/client'
import type { Gap, ReportCase, ReportTurn, Rules } from '@svc/report-viewer'
import { describe, MalformedAnswer } from '../errors/index.js'
import { type Conversation, placeOfTurn, type Unread } from '../input/index.js'
import type { Answered, Question } from './ask.js'
import { type AttemptLimits, type AttemptResult, decisiveAttempt, isFlaky, isUndecided } from './attempts.js'
import { type BaselineResult, gapOf, type Judgement, judge } from './judge.js'
import { areSameVersions, type Versions, versionsText } from './versions.js'

/** A transcript of a check, and what came of asking about it. */
export interface Case {
  conversation: Conversation
  rules: Rules
  /** What the baseline says of it; null without a baseline, undefined where it is not in it. */
  before: BaselineResult | null | undefined
  /** The versions of the baseline, which every answer must have. */
  pinned: Versions | undefined
  attempts: AttemptLimits
  /** Undefined where nothing was asked. */
  asked: Answered | undefined
  /** Why there is no answer, where it is for a reason that all have. */
  gap?: Gap
  question: Question
}

/** How a case goes into the report. Its turns must have been located where their places are to be known. */
export function reportCase(of: Case, shows: { turns: boolean }): ReportCase {
  const { conversation, question } = of
  const { source, transcript, name, part } = conversation
  const annotation = annotationOf(of)
  const { result, reasons, gap, change } = judgedOf(of)
  const start = placeOfTurn(conversation, 1)
  const votes = of.asked?.votes ?? []
  return {
    path: source.path,
    record: transcript.place.record,
    part,
    name,
    line: start?.line ?? null,
    column: start?.column ?? null,
    result,
    outcome: annotation?.outcome ?? null,
    reasons,
    gap,
    summary: annotation?.summary ?? null,
    outcome_notes: annotation?.outcome_notes ?? null,
    annotator_version: annotation?.annotator_version ?? null,
    taxonomy_version: annotation?.taxonomy_version ?? null,
    usage: annotation?.usage ?? null,
    signals: Object.entries(annotation?.signals ?? {}).map(([key, { evidence, turn = null }]) => {
      const place = placeOfTurn(conversation, turn)
      return { key, evidence, turn, line: place?.line ?? null, column: place?.column ?? null }
    }),
    answer: annotation ? (of.asked?.questions[0] === question ? (votes[0]?.from ?? null) : 'same') : null,
    votes: votes.map((vote) => vote.annotation.outcome),
    flaky: isFlaky(resultsOf(of)),
    change: of.before === null || !annotation ? null : change,
    before: of.before?.outcome ?? null,
    before_signals: of.before?.signals ?? null,
    ...(shows.turns && { turns: turnsOf(of) }),
  }
}

/** The annotation that stands for a transcript; none as long as an attempt that is missing could turn the vote. */
export function annotationOf(of: Case): Annotation | undefined {
  const results = resultsOf(of)
  return isUndecided(results, of.attempts) ? undefined : of.asked?.votes[decisiveAttempt(results)]?.annotation
}

const resultsOf = ({ asked, question }: Case): AttemptResult[] =>
  (asked?.votes ?? []).map(({ annotation }) => question.resultOf(annotation))

function judgedOf(of: Case): Judgement {
  const annotation = annotationOf(of)
  if (!annotation) return { result: 'not judged', reasons: [], gap: gapIn(of), change: 'same' }
  const { pinned, asked } = of
  const other = pinned && asked?.votes.find((vote) => !areSameVersions(pinned, vote.annotation))
  if (!other) return judge(annotation, of.rules, of.before ?? undefined)
  const detail = `${versionsText(other.annotation)}; expected ${versionsText(pinned)}`
  return { result: 'not judged', reasons: [], gap: { why: 'not comparable', detail, temporary: false }, change: 'same' }
}

function gapIn({ asked, gap }: Case): Gap {
  if (gap) return gap
  const ended = asked?.ended
  if (typeof ended !== 'object') return { why: 'not annotated', detail: 'not asked', temporary: false }
  const { error, code } = ended
  if (error instanceof MalformedAnswer) return { why: 'malformed answer', detail: error.faults, temporary: false }
  return gapOf(code, describe(error).message)
}

const turnsOf = ({ conversation, question }: Case): ReportTurn[] =>
  question.body.transcript.map(({ role, content }, at) => {
    const place = placeOfTurn(conversation, at + 1)
    return { role, content, line: place?.line ?? null, column: place?.column ?? null }
  })

/** The report's case for a file or record that could not be read as a transcript: not judged. */
const unreadCase = ({ path, record, at, why, detail }: Unread): ReportCase => ({
  ...{ path, record, part: 1, name: path.replace(/^.*[/\\](?=.)/s, '') },
  ...{ line: at?.line ?? null, column: at?.column ?? null },
  ...{ result: 'not judged', outcome: null, reasons: [], gap: { why, detail, temporary: false } },
  ...{ summary: null, outcome_notes: null, annotator_version: null, taxonomy_version: null, usage: null },
  ...{ signals: [], answer: null, votes: [], flaky: false, change: null },
  ...{ before: null, before_signals: null },
})

/** The cases of transcripts with those of what could not be read, in the order of the input. */
export function withUnread(cases: readonly ReportCase[], unread: readonly Unread[]): ReportCase[] {
  const all: ReportCase[] = []
  let at = 0
  for (const each of unread) {
    while (at < Math.min(each.after, cases.length)) all.push(cases[at++] as ReportCase)
    all.push(unreadCase(each))
  }
  return [...all, ...cases.slice(at)]
}
