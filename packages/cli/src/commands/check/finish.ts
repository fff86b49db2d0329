import {
  annotationOf,
  type Baseline,
  baselineReport,
  type Case,
  type CheckReport,
  type Circumstances,
  checkedPlaces,
  conclude,
  concludeError,
  digestOf,
  firedIn,
  foundBaseline,
  gapOf,
  type NextBaseline,
  nextBaseline,
  reportCase,
  type Selection,
  tagsOf,
  unmatchedLines,
  withUnread,
  writeBaseline,
} from '@svc/checks'
import { type Input, locateTurnsInTime, type Skipped, sumOfLosses, type Unread } from '@svc/input'
import { count, inert } from '@svc/text'
import { shownUrl } from '../../config/index.js'
import type { Context } from '../../context.js'
import { describe, exitCodeFor } from '../../errors/index.js'
import { deliverError, isReport } from '../../reports/index.js'
import { version } from '../../version.js'
import type { Answers } from './ask.js'
import type { CheckFlags } from './flags.js'
import type { PlannedCases, Setup } from './setup.js'

/** Everything that a check came to. */
interface Checked extends PlannedCases, Answers {
  setup: Setup
  baseline: Baseline | undefined
  redacted: Record<string, number>
  /** Files and records that could not be read as transcripts. */
  unread: readonly Unread[]
  input: Pick<Input, 'skipped' | 'isExcluded'>
  /** How it was asked. */
  circumstances: Circumstances
  notes: readonly string[]
}

/** Judges what was answered, and writes the baseline where that was asked for; `failure` is why it could not be written. */
export async function finish(context: Context, checked: Checked): Promise<{ report: CheckReport; failure?: unknown }> {
  const { io } = context
  const { setup, cases, requests, usage, saved, redacted, unread, input } = checked
  const notRead = new Set(unread.map(({ path }) => io.resolve(path)))
  const isUnseen = (path: string) => input.isExcluded(path) || notRead.has(path)
  const { annotator, policy, gateExit, delivery } = setup
  const isUpdate = setup.baseline?.update === true
  const showsTurns = delivery.withTurns === true || delivery.report?.some(({ id }) => id === 'html') === true
  const shown = cases.filter((each) => showsTurns || isPointedAt(each))
  await locateTurnsInTime(
    io,
    shown.map(({ conversation }) => conversation),
  )
  const accepted = isUpdate ? asAccepted(cases) : cases
  const reported = accepted.map((each) => reportCase(each, { turns: showsTurns }))
  const looked = setup.baseline && checkedPlaces(io, setup.baseline.path, setup.paths, isUnseen)
  const { options } = cases[0]?.question.body ?? {}
  const found =
    isUpdate && unread.length === 0 ? foundBaseline({ annotator, options }, checked.identities, reported) : undefined
  const next = found && looked && nextBaseline(checked.baseline, found, looked)
  const failure =
    next &&
    setup.baseline &&
    (await writeBaseline(io, setup.baseline.path, next.baseline).then(noFailure, (error: unknown) => ({ error })))
  const held = isUpdate ? next?.baseline : checked.baseline
  const pathTags = (path: string) => tagsOf(policy.tags, setup.foldersOf(path))
  const report = conclude(withUnread(reported, unread, pathTags), {
    ...checked.circumstances,
    notes: checked.notes,
    unmatchedPatterns: setup.unmatchedPatterns(reported.map(({ path }) => path)),
    annotator,
    policy,
    losses: sumOfLosses(cases.map(({ conversation }) => conversation)),
    redacted,
    requests,
    usage,
    saved,
    gateExit,
    // An outage cut the run short, and a baseline that is not written accepts nothing.
    mustJudgeAll: isUpdate || cases.some(({ answered }) => answered?.ended === 'outage'),
    stoppedBy: io.signal.aborted ? exitCodeFor(io.signal.reason) : undefined,
    baseline:
      setup.baseline && looked
        ? baselineReport(
            { path: setup.baseline.path, sha256: held ? digestOf(held) : null },
            reported,
            checked.matched,
            checked.identities,
            {
              isOutside: looked.isOutside,
              updated: next !== undefined && !failure,
            },
          )
        : null,
    left_out: [...input.skipped].map(([why, found]) => ({ why, ...found })),
  })
  if (!failure) reportBaseline(context, report, isUpdate, next)
  for (const line of unmatchedLines(report)) context.say(`note: ${inert(line)}`)
  return { report, failure: failure?.error }
}

const noFailure = () => undefined

/** True if a report shows places in a file. */
function isPointedAt(each: Case): boolean {
  const annotation = annotationOf(each)
  if (!annotation || firedIn(each, annotation).length > 0) return true
  const { fails, counts } = each.question.resultOf(annotation)
  return fails || counts
}

/** The transcripts of a baseline that is being written: whatever they came to is accepted, of one version alone. */
function asAccepted(cases: readonly Case[]): Case[] {
  const pinned = cases.map(annotationOf).find((annotation) => annotation !== undefined)
  return cases.map((each) => {
    const annotation = annotationOf(each)
    if (!annotation) return each
    return { ...each, pinned, before: { outcome: annotation.outcome, signals: firedIn(each, annotation) } }
  })
}

function reportBaseline(
  { say }: Context,
  { baseline, judged, total, cases, versions }: CheckReport,
  isUpdate: boolean,
  next: NextBaseline | undefined,
): void {
  if (isUpdate && !next) {
    const why =
      versions.length > 1
        ? 'the annotator changed its version during the run; run the command again'
        : `${total - judged} of ${total} transcripts were not judged`
    say(`note: the baseline was not written: ${why}`)
  } else if (next) {
    const { kept, dropped, isLike } = next
    if (kept > 0) say(`note: the baseline keeps ${count(kept, 'transcript')} outside of what was checked`)
    const why = isLike ? 'not found again' : 'found by another annotator, in another version, or with other options'
    if (dropped > 0) say(`note: the baseline drops ${count(dropped, 'transcript')} ${why}`)
  } else if (baseline?.stale && !cases.some(({ gap }) => gap?.why === 'not comparable')) {
    say(`note: the baseline is out of date: ${baseline.stale}; run with --update-baseline to refresh it`)
  }
}

/** The progress of a check, and the facts known so far. */
export interface Run {
  /**
   * `set up`: it is not known yet what else it reads and writes, or whether its reports can be written. `refused`: it would
   * write over something else, and touches no file. `begun`: its reports may be written. `reported`: they have been.
   */
  stage: 'set up' | 'refused' | 'begun' | 'reported'
  /** As they were named on the command line. */
  paths: readonly string[]
  setup?: Setup
  leftOut?: Skipped
  planned?: PlannedCases
  /** Absent if every transcript is checked. */
  selection?: Selection
  /** Files and records that could not be read as transcripts. */
  unread: Unread[]
  notes: string[]
  sent: { count: number }
}

/** The circumstances on which the answers of a check depend, as far as they are known. */
export async function circumstancesOf(
  context: Context,
  { paths, setup, planned, selection }: Run,
): Promise<Circumstances> {
  const settings = await context.settings().catch(() => undefined)
  const address = settings?.baseUrl?.value
  const commit = context.io.env.GITHUB_SHA || context.io.env.CI_COMMIT_SHA
  return {
    svc_versions: [version],
    ended_at: new Date(context.now()).toISOString(),
    ...(commit && { commit }),
    service: address === undefined ? null : shownUrl(address),
    paths: setup?.paths ?? paths,
    options: planned ? (planned.cases[0]?.question.body.options ?? {}) : null,
    attempts: setup?.attempts ?? null,
    confirm_on_fail: setup?.confirmOnFail ?? null,
    ...(selection && { selection }),
  }
}

/** Writes into every report why a check ended before it could judge. */
export async function reportEnd(context: Context, flags: CheckFlags, run: Run, error: unknown): Promise<void> {
  const { io } = context
  const { stage, paths, setup, leftOut = [], planned, unread, notes, sent } = run
  const gap = gapOf(exitCodeFor(error), describe(error).message)
  const cases = (planned?.cases ?? []).map((each) =>
    reportCase({ ...each, answered: undefined, gap }, { turns: false }),
  )
  const pathTags = (path: string) => (setup ? tagsOf(setup.policy.tags, setup.foldersOf(path)) : {})
  const report = concludeError(error, withUnread(cases, unread, pathTags), {
    ...(await circumstancesOf(context, run)),
    annotator: setup?.annotator ?? flags.annotator ?? '',
    notes,
    ...(setup && { policy: setup.policy }),
    requests: { sent: sent.count, cached: 0, same: 0 },
    left_out: [...leftOut].map(([why, found]) => ({ why, ...found })),
  })
  const inputs = new Set(paths.map((path) => io.resolve(path)))
  // As long as it is not known what else the check reads, a transcript could stand in the place of a report.
  const mayReplace = (file: string) => stage === 'begun' || (!inputs.has(io.resolve(file)) && isReport(io, file))
  await deliverError(context, report, flags.report ?? [], mayReplace)
}
