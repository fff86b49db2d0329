import {
  acceptedText,
  type BaselineWriter,
  baselineText,
  type CheckAnswers,
  type CheckPlan,
  type CheckReport,
  type CheckResult,
  concludeCheck,
  endedReport,
  type NamedLabels,
  type NextBaseline,
  noiseText,
  type PlannedCase,
  type RunFacts,
  readBaseline,
  unmatchedLines,
} from '@svc/checks'
import { count, escapeLine, firstLines, placeText } from '@svc/text'
import type { PlannedAnnotation } from '../../annotation-requests.js'
import { shownUrl } from '../../config/index.js'
import type { Context } from '../../context.js'
import { describe, exitCodeFor } from '../../errors.js'
import { type Input, locateTurns, type Skipped, type Unread } from '../../input/index.js'
import { withLock, writeOut } from '../../io/index.js'
import { deliverError, isReport } from '../../reports.js'
import type { CheckFlags } from './flags.js'
import type { Setup } from './setup.js'

/** The steps of a run that are done, each a value. */
export interface RunSoFar {
  /** As they were named on the command line. */
  paths: readonly string[]
  setup?: Setup
  input?: Input
  /** All that the check reads is known, so that its reports may replace other files. */
  mayReplace?: boolean
  /** Problems of the cache and of the input, a sentence each. */
  notes?: readonly string[]
  /** Files and records that could not be read as transcripts. */
  unread?: readonly Unread[]
  plan?: CheckPlan
  answers?: CheckAnswers
}

/** Judge the answers, write the baseline if it is updated, and say what changed in it. */
export async function finish(
  context: Context,
  {
    setup,
    input,
    plan,
    answers,
    notes,
    requests,
    redacted,
    labels,
  }: Required<Pick<RunSoFar, 'setup' | 'input' | 'plan' | 'answers' | 'notes'>> & {
    requests: readonly PlannedAnnotation[]
    redacted: Record<string, number>
    labels: NamedLabels | undefined
  },
): Promise<CheckResult> {
  const { io, say } = context
  const { delivery } = setup
  const conversationsOf = (cases: readonly PlannedCase[]) => cases.map(({ index }) => requests[index]?.conversation)
  const result = await concludeCheck(plan, answers, {
    ...(await factsOf(context, { input, notes })),
    ...{ redacted, labels },
    withTurns: delivery.withTurns === true || delivery.report?.some(({ id }) => id === 'html') === true,
    async locate(cases) {
      await locateTurns(
        io,
        conversationsOf(cases).flatMap((each) => each ?? []),
      )
      return conversationsOf(cases).map((each) => each?.positions)
    },
    ...{ isExcluded: input.isExcluded, allowEmpty: delivery.allowEmpty, signal: io.signal, clock: io.clock },
    ...{ failedExit: setup.gateExit, stoppedExit: exitCodeFor },
  })
  const { report, updated, baselineFailure } = result
  if (baselineFailure === undefined) for (const line of baselineLines(report, setup, updated)) say(line)
  const told = [...notes, ...answers.notes]
  const newNotes = report.notes.filter((note) => !told.includes(note))
  for (const line of [...newNotes, ...unmatchedLines(report)]) say(`note: ${escapeLine(line)}`)
  return result
}

/** Writes the baseline with the reason and the author of what it accepts. It is locked, because another check may update it, too. */
export const baselineWriter =
  ({ io }: Pick<Context, 'io'>, path: string, { accept, reason, expires }: CheckFlags): BaselineWriter =>
  async (next) => {
    const acceptance = { ...(reason && { reason }), ...(expires && { expires }) }
    const author = accept || reason || expires ? await gitAuthor(io) : undefined
    return withLock(io, 'the baseline', path, async () => {
      const written = next(await readBaseline(path, io), { ...acceptance, ...(author && { author }) })
      await writeOut(io, 'the baseline', path, [baselineText(written.baseline)])
      return written
    })
  }

/** As in `Jo Doe <jo@example.org>`; undefined without git or a name. */
async function gitAuthor(io: Context['io']): Promise<string | undefined> {
  const [name, email] = await Promise.all(
    ['name', 'email'].map(async (key) => (await io.capture('git', ['config', `user.${key}`]))?.trim()),
  )
  return [name, email && `<${email}>`].filter(Boolean).join(' ') || undefined
}

/** The number of findings, or of entries, that a note names. */
const mostNamed = 10

/** Lines for the user: the changes of an update, why a baseline was not written, or that it is out of date. */
function baselineLines(
  { baseline, judged, total, versions, reference }: CheckReport,
  { baseline: named, delivery: { accept, reason, expires } }: Setup,
  written: NextBaseline | undefined,
): string[] {
  if (written) {
    const noise = accept && reference?.comparison && noiseText(reference.comparison)
    const hasReason = reason !== undefined || expires !== undefined
    return [...changeLines(written, hasReason), ...(noise ? [noise] : [])]
  }
  if (named?.update) {
    const why =
      versions.length > 1
        ? 'the annotator changed its version during the run; run the command again'
        : `${total - judged} of ${total} transcripts were not judged`
    return [`note: the baseline was not written: ${why}`]
  }
  if (!baseline?.stale) return []
  return [`note: the baseline is out of date: ${baseline.stale}; run with --update-baseline to refresh it`]
}

function changeLines({ accepted, kept, dropped, isLike }: NextBaseline, hasReason: boolean): string[] {
  const why = isLike
    ? 'whose content was not found again'
    : 'found by another annotator, in another version, or with other options'
  return [
    ...listed(
      `accepting ${count(accepted.length, 'new finding')}`,
      accepted.map((each) => acceptedText(each)),
    ),
    ...(kept > 0 ? [`note: the baseline keeps ${count(kept, 'transcript')} outside of what was checked`] : []),
    ...listed(`note: the baseline drops ${count(dropped.length, 'transcript')} ${why}`, dropped.map(placeText)),
    ...(hasReason && accepted.length === 0 ? ['note: no finding is new: no reason or expiry was recorded'] : []),
  ]
}

/** A head with the first of many lines below it. A single line follows the head. */
function listed(head: string, lines: readonly string[]): string[] {
  if (lines.length < 2) return lines.map((line) => `${head}: ${line}`)
  return [`${head}:`, ...firstLines(lines, mostNamed).map((line) => `  ${line}`)]
}

const leftOutOf = (skipped: Skipped): CheckReport['left_out'] =>
  [...skipped].flatMap(([why, files]) => (why === 'unmatched exclusion' ? [] : [{ why, ...files }]))

async function factsOf(context: Context, { input, notes = [] }: Pick<RunSoFar, 'input' | 'notes'>): Promise<RunFacts> {
  const settings = await context.settings().catch(() => undefined)
  const address = settings?.baseUrl?.value
  return {
    commit: context.io.env.GITHUB_SHA || context.io.env.CI_COMMIT_SHA,
    service: address === undefined ? undefined : shownUrl(address),
    notes,
    leftOut: leftOutOf(input?.skipped ?? new Map()),
  }
}

/** Write the reports of a run that ended before it could judge. */
export async function reportEnd(context: Context, flags: CheckFlags, run: RunSoFar, error: unknown): Promise<void> {
  const { io } = context
  const { paths, setup, mayReplace: mayReplaceAll, plan, unread, answers } = run
  const report = endedReport(
    { ...describe(error), exit: exitCodeFor(error) },
    {
      ...(await factsOf(context, run)),
      ...{ plan, answers, unread, clock: io.clock, policy: setup?.policy, paths: setup?.paths ?? paths },
      annotator: setup?.annotator ?? flags.annotator,
      shard: setup?.shard ?? flags.shard,
    },
  )
  const inputs = new Set(paths.map((path) => io.resolve(path)))
  // As long as it is not known what else the check reads, a transcript could stand in the place of a report.
  const mayReplace = (file: string) => mayReplaceAll === true || (!inputs.has(io.resolve(file)) && isReport(io, file))
  await deliverError(context, report, flags.report ?? [], mayReplace)
}
