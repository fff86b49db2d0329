import { hideSecrets } from '@svc/text'
import type { Position } from '@svc/transcripts'
import { areSameVersions, usageOf, versionsText } from '../annotation.js'
import { occurrences } from '../identity.js'
import { type Judgement, judge, notAnnotated, type Tags } from '../judge/index.js'
import type { Gap, ReportCase, ReportSignal, ReportTurn } from '../report/index.js'
import type { CustomResult } from '../rules/index.js'
import { type Conversation, placeOfTurn, type Unread } from '../transcript.js'
import { MalformedAnnotation } from './annotate.js'
import { isFlaky } from './attempts.js'
import { type Answer, type AskedCase, attemptResult, attemptResults, type Judging } from './case.js'

export interface CaseView {
  turns: boolean
  /** The positions of the turns in their file. Default: those of the transcript. */
  positions?: readonly (Position | undefined)[] | undefined
}

/** A transcript with its answers, as reports show it. */
export function reportCase(judging: Judging, of: AskedCase, { turns, positions }: CaseView): ReportCase {
  const { before, answers, decisive, identity } = of
  const conversation = placedIn(of, turns || isPointedAt(judging, of), positions)
  const { source, transcript, name, part } = conversation
  const { externalId, digest } = transcript
  const annotation = decisive?.annotation
  const { change, ...judged } = judgementOf(judging, of)
  return {
    path: source.path,
    record: transcript.place.record,
    part,
    name,
    sha256: identity.sha256,
    occurrence: of.occurrence,
    ...(externalId !== undefined && { external_id: externalId }),
    ...(digest !== undefined && { source_hash: digest }),
    ...placeIn(conversation, 1),
    ...judged,
    outcome: annotation?.outcome ?? null,
    summary: annotation?.summary ?? null,
    outcome_notes: annotation?.outcome_notes ?? null,
    annotator_version: annotation?.annotator_version ?? null,
    taxonomy_version: annotation?.taxonomy_version ?? null,
    usage: annotation ? usageOf(annotation) : null,
    signals: signalsOf(decisive).map((signal) => ({ ...signal, ...placeIn(conversation, signal.turn) })),
    answer: annotation ? (answers[0]?.from ?? null) : null,
    votes: answers.map((each) => each.annotation.outcome),
    ...(answers.length > 1 && { answers: answers.map((answer) => attemptOf(answer, of)) }),
    flaky: isFlaky(attemptResults(judging, of)),
    change: before === null || !annotation ? null : change,
    before: before?.outcome ?? null,
    before_signals: before?.signals ?? null,
    ...(Object.keys(of.tags).length > 0 && { tags: of.tags }),
    ...(of.cluster !== undefined && { cluster: of.cluster }),
    ...(turns && { turns: turnsOf(of, conversation) }),
  }
}

/** An attempt as the report has it, judged without the baseline, which says nothing about the annotator. */
function attemptOf(
  { annotation, from, custom }: Answer,
  { rules }: AskedCase,
): NonNullable<ReportCase['answers']>[number] {
  const { outcome, annotator_version, taxonomy_version } = annotation
  const fails = judge(annotation, rules, undefined, custom).result === 'failed'
  return { outcome, fails, from, annotator_version, taxonomy_version }
}

/** Passing transcripts need no positions. */
function placedIn({ conversation }: AskedCase, isShown: boolean, positions = conversation.positions): Conversation {
  const { positions: _, ...rest } = conversation
  return isShown && positions ? { ...rest, positions } : rest
}

function signalsOf(answer: Answer | undefined): Omit<ReportSignal, 'line' | 'column'>[] {
  if (!answer) return []
  const fired = Object.entries(answer.annotation.signals).map(([key, { evidence = '', turn = null } = {}]) => ({
    key,
    evidence,
    turn,
  }))
  return [...fired, ...answer.custom.findings.map(({ rule, ...rest }) => ({ key: rule, ...rest }))]
}

/** True if a report shows places in the file of a transcript. */
export function isPointedAt(judging: Judging, of: AskedCase): boolean {
  const { decisive } = of
  if (!decisive || signalsOf(decisive).length > 0) return true
  const { fails, counts } = attemptResult(judging, of, decisive)
  return fails || counts
}

/** The transcripts of a baseline that is being written: every result of the first version is accepted. */
export function accepted<Run extends Judging>(run: Run, cases: readonly AskedCase[]): { run: Run; cases: AskedCase[] } {
  const first = cases.find(({ decisive }) => decisive)?.decisive
  return {
    run: { ...run, pinned: first?.annotation },
    cases: cases.map((each) => {
      const { decisive, rules } = each
      if (!decisive) return each
      const { annotation, custom } = decisive
      const { reasons: findings } = judge(annotation, rules, undefined, custom)
      const signals = [...new Set(signalsOf(decisive).map(({ key }) => key))]
      return { ...each, before: { outcome: annotation.outcome, signals, findings } }
    }),
  }
}

function placeIn(conversation: Conversation, turn: number | null): Pick<ReportCase, 'line' | 'column'> {
  const { line = null, column = null } = placeOfTurn(conversation, turn) ?? {}
  return { line, column }
}

function judgementOf({ pinned }: Judging, of: AskedCase): Judgement {
  const { decisive, answers, rules, before } = of
  const notJudged = (gap: Gap): Judgement => ({ result: 'not judged', reasons: [], gap, change: 'same' })
  if (!decisive) return notJudged(missingAnswer(of))
  const other = pinned && answers.find((each) => !areSameVersions(pinned, each.annotation))
  if (!other) return judge(decisive.annotation, rules, before ?? undefined, withFailures(answers, decisive))
  const detail = `${versionsText(other.annotation)}; expected ${versionsText(pinned)}`
  return notJudged({ why: 'not comparable', detail, temporary: false })
}

/** A rule that fails in any attempt leaves the transcript not judged. */
function withFailures(answers: readonly Answer[], { custom }: Answer): CustomResult {
  const failed = answers.find((each) => each.custom.failure !== undefined)
  return failed ? { ...failed.custom, ...custom } : custom
}

/** The message of an error without secrets, because a report is shown to many. */
export const messageOf = (error: unknown): string =>
  hideSecrets(error instanceof Error ? error.message : String(error), [])

function missingAnswer({ ended, gap }: AskedCase): Gap {
  if (gap) return gap
  if (typeof ended !== 'object') return notAnnotated('not asked')
  const { error, step } = ended
  if (error instanceof MalformedAnnotation) return { why: 'malformed answer', detail: error.faults, temporary: false }
  return notAnnotated(messageOf(error), step === 'try_later')
}

const turnsOf = ({ body }: AskedCase, conversation: Conversation): ReportTurn[] =>
  body.transcript.map(({ role, content }, at) => ({ role, content, ...placeIn(conversation, at + 1) }))

const unreadCase = (
  { path, record, part = 1, name, at, sha256, why, detail, temporary = false }: Unread,
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
  gap: { why, detail, temporary },
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
