import { type Baseline, baselineReport, digestOf } from '../../checks/baseline/baseline.js'
import { writeBaseline } from '../../checks/baseline/baseline-file.js'
import { foundBaseline } from '../../checks/baseline/found-baseline.js'
import type { lookedAt } from '../../checks/baseline/looked-at.js'
import { type NextBaseline, nextBaseline } from '../../checks/baseline/next-baseline.js'
import { annotationOf, type Case, reportCase } from '../../checks/cases.js'
import { type Circumstances, conclude } from '../../checks/conclude.js'
import type { CheckReport } from '../../checks/report.js'
import { withUnread } from '../../checks/unread.js'
import type { Context } from '../../context.js'
import { sumOfLosses } from '../../conversations.js'
import type { Input } from '../../input/sources.js'
import { locateTurns } from '../../positions.js'
import type { Unread } from '../../reading.js'
import { exitCodeFor } from '../../report-error.js'
import { unmatchedLines } from '../../reports/words.js'
import { count, inert } from '../../text.js'
import type { Answers } from './ask.js'
import type { PlannedCases } from './cases-of.js'
import type { Setup } from './setup.js'

/** Everything that a check came to. */
interface Checked extends PlannedCases, Answers {
  setup: Setup
  baseline: Baseline | undefined
  redacted: Record<string, number>
  /** Files and records that could not be read as transcripts. */
  unread: readonly Unread[]
  input: Pick<Input, 'leftOut' | 'isExcluded'>
  /** How it was asked. */
  circumstances: Circumstances
  notes: readonly string[]
}

/** Judges what was answered, and writes the baseline where that was asked for; `failure` is why it could not be written. */
export async function finish(context: Context, checked: Checked): Promise<{ report: CheckReport; failure?: unknown }> {
  const { io } = context
  const { setup, cases, requests, usage, redacted, unread, input } = checked
  const notRead = new Set(unread.map(({ path }) => io.resolve(path)))
  const isUnseen = (path: string) => input.isExcluded(path) || notRead.has(path)
  const { annotator, policy, gateExit, delivery } = setup
  const isUpdate = setup.baseline?.update === true
  const showsTurns = delivery.withTurns === true || delivery.report?.some(({ id }) => id === 'html') === true
  await locateTurns(cases.filter((each) => showsTurns || isPointedAt(each)).map(({ conversation }) => conversation))
  const accepted = isUpdate ? asAccepted(cases) : cases
  const reported = accepted.map((each) => reportCase(each, { turns: showsTurns }))
  const looked = setup.baseline && (await lookedAtBy(io, setup.baseline.path, setup.paths, isUnseen))
  const { options } = cases[0]?.question.body ?? {}
  const found =
    isUpdate && unread.length === 0 ? foundBaseline({ annotator, options }, checked.identities, reported) : undefined
  const next = found && looked && nextBaseline(checked.baseline, found, looked)
  const failure =
    next &&
    setup.baseline &&
    (await writeBaseline(io, setup.baseline.path, next.baseline).then(noFailure, (error: unknown) => ({ error })))
  const held = isUpdate ? next?.baseline : checked.baseline
  const report = conclude(withUnread(reported, unread), {
    ...checked.circumstances,
    notes: checked.notes,
    unmatchedPatterns: setup.unmatchedPatterns(reported.map(({ path }) => path)),
    ...{ annotator, policy, losses: sumOfLosses(cases.map(({ conversation }) => conversation)), redacted },
    ...{ requests, usage, gateExit },
    // An outage cut the run short, and a baseline that is not written accepts nothing.
    mustJudgeAll: isUpdate || cases.some(({ asked }) => asked?.ended === 'outage'),
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
    left_out: [...input.leftOut].map(([why, found]) => ({ why, ...found })),
  })
  if (!failure) tellBaseline(context, report, isUpdate, next)
  for (const line of unmatchedLines(report)) context.say(`note: ${inert(line)}`)
  return { report, failure: failure?.error }
}

const noFailure = () => undefined

const lookedAtBy = async (...of: Parameters<typeof lookedAt>) =>
  (await import('../../checks/baseline/looked-at.js')).lookedAt(...of)

/** Whether a report says where something of a transcript stands. */
function isPointedAt(each: Case): boolean {
  const annotation = annotationOf(each)
  if (!annotation || Object.keys(annotation.signals).length > 0) return true
  const { fails, counts } = each.question.resultOf(annotation)
  return fails || counts
}

/** The transcripts of a baseline that is being written: whatever they came to is accepted, of one version alone. */
function asAccepted(cases: readonly Case[]): Case[] {
  const pinned = cases.map(annotationOf).find((annotation) => annotation !== undefined)
  return cases.map((each) => {
    const annotation = annotationOf(each)
    if (!annotation) return each
    return { ...each, pinned, before: { outcome: annotation.outcome, signals: Object.keys(annotation.signals) } }
  })
}

function tellBaseline(
  { say }: Context,
  { baseline, judged, total, cases, versions }: CheckReport,
  isUpdate: boolean,
  next: NextBaseline | undefined,
): void {
  if (isUpdate && !next) {
    const why =
      versions.length > 1
        ? 'the annotator changed its version during the run; run it again'
        : `${total - judged} of ${total} transcripts were not judged`
    say(`note: the baseline was not written, because ${why}`)
  } else if (next) {
    const { kept, dropped, isLike } = next
    if (kept > 0) say(`note: the baseline keeps ${count(kept, 'transcript')} outside of what was checked`)
    const why = isLike ? 'not found again' : 'found by another annotator, in another version, or with other options'
    if (dropped > 0) say(`note: the baseline drops ${count(dropped, 'transcript')} ${why}`)
  } else if (baseline?.stale && !cases.some(({ gap }) => gap?.why === 'not comparable')) {
    say(`note: the baseline is out of date: ${baseline.stale}; run with --update-baseline to refresh it`)
  }
}
