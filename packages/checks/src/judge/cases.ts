import type { Annotation } from '@svc/client'
import {
  type Answered,
  type AttemptLimits,
  type AttemptResult,
  areSameVersions,
  decisiveAttempt,
  isFlaky,
  isUndecided,
  MalformedAnnotation,
  type Question,
  resultsOf,
  usageOf,
  type Versions,
  type Vote,
  versionsText,
} from '../ask/index.js'
import { type Content, occurrences } from '../identity.js'
import type { Gap, ReportCase, ReportSignal, ReportTurn, Rules } from '../report/index.js'
import { type CustomResult, nothingFound } from '../rules/index.js'
import { type Conversation, placeOfTurn, type Unread } from '../transcript.js'
import { type BaselineResult, type Judgement, judge, notAnnotated } from './judge.js'
import type { Tags } from './tags.js'

export interface Case {
  conversation: Conversation
  content: Content
  rules: Rules
  tags: Tags
  /** Null without a baseline; undefined if the baseline does not have the transcript. */
  before: BaselineResult | null | undefined
  /** The versions of the baseline, which every answer must have. */
  pinned: Versions | undefined
  attempts: AttemptLimits
  question: Question
  /** Undefined if nothing was asked. */
  answered: Answered | undefined
  /** The reason why there is no answer, if it is the same for the whole run. */
  gap?: Gap
}

export interface CaseView {
  turns: boolean
  messageOf?: ((error: unknown) => string) | undefined
}

export function reportCase(of: Case, { turns, messageOf = messageOfError }: CaseView): ReportCase {
  const { question, before } = of
  // Nobody is sent to a transcript that is as it should be.
  const conversation = turns || isPointedAt(of) ? of.conversation : withoutPositions(of.conversation)
  const { source, transcript, name, part } = conversation
  const { externalId } = transcript
  const vote = decisiveVote(of)
  const annotation = vote?.annotation
  const { change, ...judged } = judgementOf(of, vote, messageOf)
  const votes = of.answered?.votes ?? []
  const isFirst = of.answered?.questions[0] === question
  return {
    path: source.path,
    record: transcript.place.record,
    part,
    name,
    ...of.content,
    ...(externalId !== undefined && { external_id: externalId }),
    ...placeIn(conversation, 1),
    ...judged,
    outcome: annotation?.outcome ?? null,
    summary: annotation?.summary ?? null,
    outcome_notes: annotation?.outcome_notes ?? null,
    annotator_version: annotation?.annotator_version ?? null,
    taxonomy_version: annotation?.taxonomy_version ?? null,
    usage: annotation ? usageOf(annotation) : null,
    signals: signalsOf(of, vote).map((signal) => ({ ...signal, ...placeIn(conversation, signal.turn) })),
    answer: annotation ? (isFirst ? (votes[0]?.from ?? null) : 'same') : null,
    votes: votes.map((each) => each.annotation.outcome),
    flaky: isFlaky(attemptsOf(of)),
    change: before === null || !annotation ? null : change,
    before: before?.outcome ?? null,
    before_signals: before?.signals ?? null,
    ...(Object.keys(of.tags).length > 0 && { tags: of.tags }),
    ...(turns && { turns: turnsOf(of) }),
  }
}

const withoutPositions = ({ positions, ...rest }: Conversation): Conversation => rest

function signalsOf(of: Case, vote: Vote | undefined): Omit<ReportSignal, 'line' | 'column'>[] {
  if (!vote) return []
  const fired = Object.entries(vote.annotation.signals).map(([key, { evidence = '', turn = null } = {}]) => ({
    key,
    evidence,
    turn,
  }))
  const found = customOf(of, vote).findings.map(({ rule, ...rest }) => ({ key: rule, ...rest }))
  return [...fired, ...found]
}

const customOf = ({ question }: Case, { custom }: Vote) => custom.get(question) ?? nothingFound

const firedIn = (of: Case, vote: Vote): string[] => [...new Set(signalsOf(of, vote).map(({ key }) => key))]

/** True if a report shows places in the file of a transcript. */
export function isPointedAt(of: Case): boolean {
  const vote = decisiveVote(of)
  if (!vote || firedIn(of, vote).length > 0) return true
  const { fails, counts } = of.question.resultOf(vote.annotation, customOf(of, vote))
  return fails || counts
}

/** The transcripts of a baseline that is being written: every result of the first version is accepted. */
export function asAccepted(cases: readonly Case[]): Case[] {
  const pinned = cases.map(annotationOf).find((annotation) => annotation !== undefined)
  return cases.map((each) => {
    const vote = decisiveVote(each)
    if (!vote) return each
    const { outcome } = vote.annotation
    const { reasons: findings } = judge(vote.annotation, each.rules, undefined, customOf(each, vote))
    return { ...each, pinned, before: { outcome, signals: firedIn(each, vote), findings } }
  })
}

function placeIn(conversation: Conversation, turn: number | null): Pick<ReportCase, 'line' | 'column'> {
  const { line = null, column = null } = placeOfTurn(conversation, turn) ?? {}
  return { line, column }
}

/** The decisive vote of a transcript; undefined while a missing attempt could change the result. */
function decisiveVote(of: Case): Vote | undefined {
  const results = attemptsOf(of)
  return isUndecided(results, of.attempts) ? undefined : of.answered?.votes[decisiveAttempt(results)]
}

export const annotationOf = (of: Case): Annotation | undefined => decisiveVote(of)?.annotation

const attemptsOf = ({ answered, question }: Case): AttemptResult[] => resultsOf(answered?.votes ?? [], question)

function judgementOf(of: Case, vote: Vote | undefined, messageOf: (error: unknown) => string): Judgement {
  const notJudged = (gap: Gap): Judgement => ({ result: 'not judged', reasons: [], gap, change: 'same' })
  if (!vote) return notJudged(missingAnswer(of, messageOf))
  const { pinned, answered } = of
  const other = pinned && answered?.votes.find((each) => !areSameVersions(pinned, each.annotation))
  if (!other) return judge(vote.annotation, of.rules, of.before ?? undefined, withFailures(of, vote))
  const detail = `${versionsText(other.annotation)}; expected ${versionsText(pinned)}`
  return notJudged({ why: 'not comparable', detail, temporary: false })
}

/** A rule that fails in any attempt leaves the transcript not judged. */
function withFailures(of: Case, vote: Vote): CustomResult {
  const failed = of.answered?.votes.find((each) => customOf(of, each).failure !== undefined)
  return failed ? { ...customOf(of, failed), ...customOf(of, vote) } : customOf(of, vote)
}

const messageOfError = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function missingAnswer({ answered, gap }: Case, messageOf: (error: unknown) => string): Gap {
  if (gap) return gap
  const ended = answered?.ended
  if (typeof ended !== 'object') return notAnnotated('not asked')
  const { error, step } = ended
  if (error instanceof MalformedAnnotation) return { why: 'malformed answer', detail: error.faults, temporary: false }
  return notAnnotated(messageOf(error), step === 'try_later')
}

const turnsOf = ({ conversation, question }: Case): ReportTurn[] =>
  question.body.transcript.map(({ role, content }, at) => ({ role, content, ...placeIn(conversation, at + 1) }))

const unreadCase = (
  { path, record, part = 1, name, at, sha256, why, detail }: Unread,
  occurrence: number,
  tags: Tags,
): ReportCase => ({
  path,
  record,
  part,
  name: name ?? path.replace(/^.*[/\\](?=.)/s, ''),
  sha256,
  occurrence,
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
  const nth = occurrences(cases)
  for (const [inserted, each] of unread.entries())
    all.splice(each.after + inserted, 0, unreadCase(each, nth(each), tagsOf(each.path)))
  return all
}
