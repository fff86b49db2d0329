import {
  type Answers,
  type Baseline,
  type BaselineUse,
  baselineLines,
  baselineParts,
  type Case,
  type CheckReport,
  type Circumstances,
  checkedPlaces,
  concludeCases,
  concludeEnd,
  isPointedAt,
  type Judged,
  judgeAnswers,
  type NextBaseline,
  nextBaseline,
  type Planned,
  type ReportShard,
  readBaseline,
  type Selection,
  shardFacts,
  type Tags,
  tagsOf,
  type Unread,
  unmatchedLines,
} from '@svc/checks'
import { escapeLine } from '@svc/text'
import type { PlannedAnnotation } from '../../annotation-requests.js'
import { shownUrl } from '../../config/index.js'
import type { Context } from '../../context.js'
import { describe, exitCodeFor } from '../../errors.js'
import { type Input, locateTurns, type Skipped } from '../../input/index.js'
import { withLock, writeOut } from '../../io/index.js'
import { deliverError, isReport } from '../../reports.js'
import { version } from '../../version.js'
import type { CheckFlags } from './flags.js'
import type { Setup } from './setup.js'

export interface Known {
  /** As they were named on the command line. */
  paths: readonly string[]
  setup?: Setup
  input?: Input
  /** All that the check reads is known, so that its reports may replace other files. */
  mayReplace?: boolean
  planned?: Planned
  /** Absent if every transcript is checked. */
  selection?: Selection | undefined
  /** Absent without shards, or until its input is known. */
  shard?: ReportShard | undefined
  /** All transcripts that were read, those of other shards included. */
  candidates?: readonly Case[]
  /** Files and records that could not be read as transcripts. */
  unread?: readonly Unread[]
  notes?: readonly string[]
  answers?: Answers
}

export interface Finished
  extends Required<Omit<Known, 'mayReplace' | 'selection' | 'shard'>>,
    Pick<Known, 'selection' | 'shard'> {
  requests: readonly PlannedAnnotation[]
  baseline: Baseline | undefined
  redacted: Record<string, number>
}

/** Judge the answers, and write the baseline if it is updated; `failure` is why it could not be written. */
export async function finish(context: Context, done: Finished): Promise<{ report: CheckReport; failure: unknown }> {
  const { io } = context
  const { setup, input, answers, unread } = done
  const { annotator, policy, delivery, today } = setup
  const showsTurns = delivery.withTurns === true || delivery.report?.some(({ id }) => id === 'html') === true
  const shown = answers.cases.filter((each) => showsTurns || isPointedAt(each))
  await locateTurns(
    io,
    shown.flatMap(({ question }) => done.requests[question.index]?.conversation ?? []),
  )
  const use = baselineUse(context, done)
  const judgeWith = (baseline: BaselineUse | undefined) =>
    judgeAnswers(answers, {
      annotator,
      identities: done.planned.identities,
      isComplete: unread.length === 0,
      baseline,
      view: { turns: showsTurns, messageOf: (error) => describe(error).message },
    })
  const accepting = judgeWith(use)
  const { written, failure } = await updated(context, setup, accepting, use)
  // A baseline that could not be written accepts nothing.
  const baseline = use && failure !== undefined ? { ...use, isUpdate: false } : use
  const judged = baseline === use ? accepting : judgeWith(baseline)
  const report = concludeCases(judged, {
    ...(await circumstancesOf(context, done)),
    planned: done.planned,
    answers,
    unread,
    tagsOfPath: tagsOfPath(setup),
    baseline,
    written,
    today,
    notes: done.notes,
    unmatchedPatterns: setup.unmatchedPatterns(done.candidates.map(({ conversation }) => conversation.source.path)),
    annotator,
    policy,
    redacted: done.redacted,
    gateExit: setup.gateExit,
    mayBeEmpty: setup.delivery.allowEmpty,
    stoppedBy: io.signal.aborted ? exitCodeFor(io.signal.reason) : undefined,
    left_out: leftOutOf(input.skipped),
  })
  if (failure === undefined)
    for (const line of baselineLines(report, setup.baseline?.update ? setup : undefined, written)) context.say(line)
  const found = report.notes.filter((note) => !done.notes.includes(note))
  for (const line of [...found, ...unmatchedLines(report)]) context.say(`note: ${escapeLine(line)}`)
  return { report, failure }
}

function baselineUse({ io }: Context, { setup, input, unread, baseline }: Finished): BaselineUse | undefined {
  if (!setup.baseline) return undefined
  const { path, update } = setup.baseline
  const notRead = new Set(unread.map((each) => io.resolve(each.path)))
  const isUnseen = (file: string) => input.isExcluded(file) || notRead.has(file)
  return { path, before: baseline, isUpdate: update, places: checkedPlaces(io, path, setup.paths, isUnseen) }
}

/** Write the baseline. It is locked and read again, because another check may have updated it meanwhile. */
async function updated(
  { io }: Context,
  { acceptance, today }: Setup,
  { cases, found }: Judged,
  use: BaselineUse | undefined,
): Promise<{ written?: NextBaseline; failure?: unknown }> {
  if (!found || !use) return {}
  const { path, places } = use
  const author = Object.keys(acceptance).length > 0 ? await gitAuthor(io) : undefined
  try {
    return await withLock(io, 'the baseline', path, async () => {
      const before = await readBaseline(path, io)
      const update = { places, today, acceptance: { ...acceptance, ...(author && { author }) } }
      const written = nextBaseline(before, found, cases, update)
      await writeOut(io, 'the baseline', path, baselineParts(written.baseline))
      return { written }
    })
  } catch (failure) {
    return { failure }
  }
}

/** As in `Jo Doe <jo@example.org>`; undefined without git or a name. */
async function gitAuthor(io: Context['io']): Promise<string | undefined> {
  const [name, email] = await Promise.all(
    ['name', 'email'].map(async (key) => (await io.capture('git', ['config', `user.${key}`]))?.trim()),
  )
  return [name, email && `<${email}>`].filter(Boolean).join(' ') || undefined
}

const leftOutOf = (skipped: Skipped): CheckReport['left_out'] =>
  [...skipped].flatMap(([why, found]) => (why === 'unmatched exclusion' ? [] : [{ why, ...found }]))

const tagsOfPath =
  ({ policy, foldersOf }: Setup) =>
  (path: string): Tags =>
    tagsOf(policy.tags, foldersOf(path))

async function circumstancesOf(
  context: Context,
  { paths, setup, planned, selection, shard, candidates }: Known,
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
    options: planned ? ((candidates ?? planned.cases)[0]?.question.body.options ?? {}) : null,
    attempts: setup?.attempts ?? null,
    confirm_on_fail: setup?.confirmOnFail ?? null,
    ...(selection && { selection }),
    ...(setup?.shard && { shard: shard ?? shardFacts(setup.shard, setup.policy) }),
  }
}

export async function reportEnd(context: Context, flags: CheckFlags, known: Known, error: unknown): Promise<void> {
  const { io } = context
  const { paths, setup, input, mayReplace: mayReplaceAll, planned, unread = [], notes = [], answers } = known
  const end = { ...describe(error), exit: exitCodeFor(error) }
  const found = { cases: planned?.cases ?? [], unread, tagsOfPath: setup && tagsOfPath(setup) }
  const shard = flags.shard && shardFacts({ index: flags.shard.index, count: flags.shard.of }, setup?.policy)
  const report = concludeEnd(end, found, {
    ...(shard && { shard }),
    ...(await circumstancesOf(context, known)),
    annotator: setup?.annotator ?? flags.annotator ?? '',
    notes: [...notes],
    ...(setup && { policy: setup.policy }),
    ...(answers && { requests: answers.requests }),
    left_out: leftOutOf(input?.skipped ?? new Map()),
  })
  const inputs = new Set(paths.map((path) => io.resolve(path)))
  // As long as it is not known what else the check reads, a transcript could stand in the place of a report.
  const mayReplace = (file: string) => mayReplaceAll === true || (!inputs.has(io.resolve(file)) && isReport(io, file))
  await deliverError(context, report, flags.report ?? [], mayReplace)
}
