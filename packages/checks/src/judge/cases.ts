import type { Annotation } from '@svc/client'
import { usageOf } from '../../../cli/src/annotate/index.js'
import { describe, MalformedAnswer } from '../../../cli/src/errors/index.js'
import { type Conversation, placeOfTurn, type Unread } from '../../../input/src/index.js'
import type { Answered, Question } from '../ask/ask.js'
import { type AttemptLimits, type AttemptResult, decisiveAttempt, isFlaky, isUndecided } from '../ask/attempts.js'
import { areSameVersions, type Versions, versionsText } from '../ask/versions.js'
import type { Gap, ReportCase, ReportSignal, ReportTurn, Rules } from '../report/index.js'
import type { CustomResult } from '../rules/index.js'
import { type BaselineResult, gapOf, type Judgement, judge } from './judge.js'
import type { Tags } from './tags.js'

/** A transcript of a check with its answers. */
export interface Case {
  conversation: Conversation
  rules: Rules
  tags: Tags
  /** Null without a baseline; undefined if the baseline does not have the transcript. */
  before: BaselineResult | null | undefined
  /** The versions of the baseline, which every answer must have. */
  pinned: Versions | undefined
  attempts: AttemptLimits
  question: Question
  /** Run the functions of the policy on an annotation of the transcript. */
  customOf(annotation: Annotation): CustomResult
  /** Undefined if nothing was asked. */
  answered: Answered | undefined
  /** The reason why there is no answer, if it is the same for the whole run. */
  gap?: Gap
}

/** The report's case. Places are known only after `locateTurns`. */
export function reportCase(of: Case, shows: { turns: boolean }): ReportCase {
  const { conversation, question, before } = of
  const { source, transcript, name, part } = conversation
  const annotation = annotationOf(of)
  const { change, ...judged } = judgementOf(of)
  const votes = of.answered?.votes ?? []
  const isFirst = of.answered?.questions[0] === question
  return {
    path: source.path,
    record: transcript.place.record,
    part,
    name,
    ...placeIn(conversation, 1),
    ...judged,
    outcome: annotation?.outcome ?? null,
    summary: annotation?.summary ?? null,
    outcome_notes: annotation?.outcome_notes ?? null,
    annotator_version: annotation?.annotator_version ?? null,
    taxonomy_version: annotation?.taxonomy_version ?? null,
    usage: annotation ? usageOf(annotation) : null,
    signals: signalsOf(of, annotation).map((signal) => ({ ...signal, ...placeIn(conversation, signal.turn) })),
    answer: annotation ? (isFirst ? (votes[0]?.from ?? null) : 'same') : null,
    votes: votes.map((vote) => vote.annotation.outcome),
    flaky: isFlaky(resultsOf(of)),
    change: before === null || !annotation ? null : change,
    before: before?.outcome ?? null,
    before_signals: before?.signals ?? null,
    ...(Object.keys(of.tags).length > 0 && { tags: of.tags }),
    ...(shows.turns && { turns: turnsOf(of) }),
  }
}

/** The signals of the annotator, then the findings of the functions of the policy. */
function signalsOf(of: Case, annotation: Annotation | undefined): Omit<ReportSignal, 'line' | 'column'>[] {
  if (!annotation) return []
  const fired = Object.entries(annotation.signals).map(([key, { evidence = '', turn = null } = {}]) => ({
    key,
    evidence,
    turn,
  }))
  const found = of.customOf(annotation).findings.map(({ rule, ...rest }) => ({ key: rule, ...rest }))
  return [...fired, ...found]
}

/** The names of the signals and rules under which something was found, each once. */
export const firedIn = (of: Case, annotation: Annotation): string[] => [
  ...new Set(signalsOf(of, annotation).map(({ key }) => key)),
]

function placeIn(conversation: Conversation, turn: number | null): Pick<ReportCase, 'line' | 'column'> {
  const { line = null, column = null } = placeOfTurn(conversation, turn) ?? {}
  return { line, column }
}

/** The decisive annotation of a transcript; undefined while a missing attempt could change the vote. */
export function annotationOf(of: Case): Annotation | undefined {
  const results = resultsOf(of)
  return isUndecided(results, of.attempts) ? undefined : of.answered?.votes[decisiveAttempt(results)]?.annotation
}

const resultsOf = ({ answered, question }: Case): AttemptResult[] =>
  (answered?.votes ?? []).map(({ annotation }) => question.resultOf(annotation))

function judgementOf(of: Case): Judgement {
  const annotation = annotationOf(of)
  const notJudged = (gap: Gap): Judgement => ({ result: 'not judged', reasons: [], gap, change: 'same' })
  if (!annotation) return notJudged(missingAnswer(of))
  const { pinned, answered } = of
  const other = pinned && answered?.votes.find((vote) => !areSameVersions(pinned, vote.annotation))
  if (!other) return judge(annotation, of.rules, of.before ?? undefined, of.customOf(annotation))
  const detail = `${versionsText(other.annotation)}; expected ${versionsText(pinned)}`
  return notJudged({ why: 'not comparable', detail, temporary: false })
}

function missingAnswer({ answered, gap }: Case): Gap {
  if (gap) return gap
  const ended = answered?.ended
  if (typeof ended !== 'object') return { why: 'not annotated', detail: 'not asked', temporary: false }
  const { error, code } = ended
  if (error instanceof MalformedAnswer) return { why: 'malformed answer', detail: error.faults, temporary: false }
  return gapOf(code, describe(error).message)
}

const turnsOf = ({ conversation, question }: Case): ReportTurn[] =>
  question.body.transcript.map(({ role, content }, at) => ({ role, content, ...placeIn(conversation, at + 1) }))

/** A file or record that could not be read as a transcript: not judged. */
const unreadCase = ({ path, record, at, why, detail }: Unread, tags: Tags): ReportCase => ({
  path,
  record,
  part: 1,
  name: path.replace(/^.*[/\\](?=.)/s, ''),
  line: at?.line ?? null,
  column: at?.column ?? null,
  result: 'not judged',
  outcome: null,
  reasons: [],
  gap: { why, detail, temporary: false },
  summary: null,
  outcome_notes: null,
  annotator_version: null,
  taxonomy_version: null,
  usage: null,
  signals: [],
  answer: null,
  votes: [],
  flaky: false,
  change: null,
  before: null,
  before_signals: null,
  ...(Object.keys(tags).length > 0 && { tags }),
})

/** Insert a case for each unread file or record, in the order of the input. `tagsOf` gives the tags of a path. */
export function withUnread(
  cases: readonly ReportCase[],
  unread: readonly Unread[],
  tagsOf: (path: string) => Tags = () => ({}),
): ReportCase[] {
  const all = [...cases]
  for (const [inserted, each] of unread.entries())
    all.splice(each.after + inserted, 0, unreadCase(each, tagsOf(each.path)))
  return all
}
