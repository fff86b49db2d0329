import { type Baseline, type BaselineEntry, baselineReport, shareIn } from '../../checks/baseline/baseline.js'
import { writeBaseline } from '../../checks/baseline/baseline-file.js'
import { annotationOf, type Case, reportCase } from '../../checks/cases.js'
import { conclude } from '../../checks/conclude.js'
import type { CheckReport, ReportCase } from '../../checks/report.js'
import type { Context } from '../../context.js'
import { sumOfLosses } from '../../conversations.js'
import { exitCodeFor } from '../../exit.js'
import { locateTurns } from '../../positions.js'
import { deliver } from '../../reports/deliver.js'
import type { Answers } from './ask.js'
import type { PlannedCases } from './cases-of.js'
import type { Setup } from './setup.js'

/** Everything that a check came to. */
interface Checked extends PlannedCases, Answers {
  setup: Setup
  baseline: Baseline | undefined
  redacted: Record<string, number>
}

/** Judges what was answered, writes the baseline where that was asked for, and then every report. */
export async function finish(context: Context, checked: Checked): Promise<CheckReport> {
  const { io } = context
  const { setup, cases, requests, usage, redacted } = checked
  const { annotator, policy, gateExit, delivery } = setup
  const isUpdate = setup.baseline?.update === true
  const showsTurns = delivery.withTurns === true || delivery.report?.some(({ id }) => id === 'html') === true
  await locateTurns(cases.filter((each) => showsTurns || isPointedAt(each)).map(({ conversation }) => conversation))
  const accepted = isUpdate ? cases.map(asAccepted) : cases
  const reported = accepted.map((each) => reportCase(each, { turns: showsTurns }))
  const written = isUpdate ? newBaseline(annotator, checked, reported) : undefined
  const failure =
    written &&
    setup.baseline &&
    (await writeBaseline(io, setup.baseline.path, written).then(noFailure, (error: unknown) => ({ error })))
  const held = isUpdate ? written : checked.baseline
  const report = conclude(reported, {
    ...{ annotator, policy, losses: sumOfLosses(cases.map(({ conversation }) => conversation)), redacted },
    ...{ requests, usage, gateExit, stoppedBy: io.signal.aborted ? exitCodeFor(io.signal.reason) : undefined },
    before: policy.rates.map((rate) => (held ? shareIn(held, rate) : null)),
    baseline: setup.baseline
      ? baselineReport(
          setup.baseline.path,
          reported,
          checked.matched,
          checked.identities,
          written !== undefined && !failure,
        )
      : null,
  })
  tellBaseline(context, report, isUpdate && !written)
  await deliver(context, report, delivery)
  if (failure) throw failure.error
  return report
}

const noFailure = () => undefined

/** Whether a report says where something of a transcript stands. */
function isPointedAt(each: Case): boolean {
  const annotation = annotationOf(each)
  return !annotation || Object.keys(annotation.signals).length > 0 || each.question.isAgainst(annotation)
}

/** A transcript of a baseline that is being written: whatever it came to is what it was. */
function asAccepted(each: Case): Case {
  const annotation = annotationOf(each)
  if (!annotation) return each
  return { ...each, before: { outcome: annotation.outcome, signals: Object.keys(annotation.signals) } }
}

/** What is to be written; nothing where anything is missing, or where answers are of several versions. */
function newBaseline(
  annotator: string,
  { identities }: Pick<Checked, 'identities'>,
  cases: readonly ReportCase[],
): Baseline | undefined {
  const [first] = cases
  if (first?.annotator_version == null || first.taxonomy_version === null) return undefined
  const { annotator_version, taxonomy_version } = first
  const transcripts: BaselineEntry[] = []
  for (const [index, each] of cases.entries()) {
    const isOf = each.annotator_version === annotator_version && each.taxonomy_version === taxonomy_version
    const identity = identities[index]
    if (each.result === 'not judged' || !isOf || each.outcome === null || !identity) return undefined
    const { name, outcome, signals } = each
    transcripts.push({ ...identity, name, outcome, signals: signals.map(({ key }) => key).sort() })
  }
  return { schema: 'svc/baseline@1', annotator, annotator_version, taxonomy_version, transcripts }
}

function tellBaseline({ say }: Context, { baseline, judged, total }: CheckReport, isRefused: boolean): void {
  if (isRefused) {
    const why =
      judged < total ? `${total - judged} of ${total} transcripts were not judged` : 'answers are of several versions'
    say(`note: the baseline was not written, because ${why}`)
  } else if (baseline?.stale) {
    say(`note: the baseline is out of date: ${baseline.stale}; --update-baseline writes it anew`)
  }
}
