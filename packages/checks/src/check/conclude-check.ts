import { type Clock, ServiceError, systemClock } from '@svc/client'
import { canonicalJson } from '@svc/text'
import type { Position } from '@svc/transcripts'
import {
  acceptedFor,
  type Baseline,
  type BaselineWriter,
  baselineReport,
  checkedPlaces,
  expiryNotes,
  foundBaseline,
  isDay,
  matchBaseline,
  type NextBaseline,
  nextBaseline,
} from '../baseline/index.js'
import { CheckError } from '../check-error.js'
import { comparedWith } from '../compare/index.js'
import { conclude, concludeError, type Facts, gateExits, notAnnotated, type RunEnd } from '../judge/index.js'
import { labelFigures, type NamedLabels } from '../labels/index.js'
import type { Acceptance, CheckReport, Policy, ReportCase } from '../report/index.js'
import { sumOfLosses, type Unread } from '../transcript.js'
import { digestOf } from '../values.js'
import { version } from '../version.js'
import { judgeUpdate } from './accept-judge.js'
import { stepOf } from './annotate.js'
import { type CheckAnswers, nothingAsked } from './ask.js'
import type { AskedCase, Judging, PlannedCase } from './case.js'
import { type CheckResult, resultOf } from './check-result.js'
import { checkedOptions } from './options.js'
import type { CheckPlan } from './plan.js'
import { accepted, type CaseView, isPointedAt, messageOf, reportCase, withUnread } from './report-case.js'
import { type Shard, shardFacts } from './select.js'

/** Facts of a run that only its caller knows, as reports show them. */
export interface RunFacts {
  /** The commit that was checked. Default: not shown. */
  commit?: string | undefined
  /** The base URL of the service, without credentials. Default: that of the client. */
  service?: string | undefined
  /** Other problems of the run, a sentence each. Default: none. */
  notes?: readonly string[] | undefined
  /** Paths that were skipped, by reason, with the first of each. Default: none. */
  leftOut?: CheckReport['left_out'] | undefined
  /** The number of redacted texts by their kind. Default: none. */
  redacted?: Record<string, number> | undefined
}

/** Options of `concludeCheck`. */
export interface ConcludeOptions extends RunFacts {
  /** Labels of people, which the report then shows beside its verdicts. Default: none. */
  labels?: NamedLabels | undefined
  /** A run without transcripts passes. Default: false, it is not judged. */
  allowEmpty?: boolean | undefined
  /** Cases contain the turns of the transcripts, which the HTML report shows, as that of `svc check` does. Default: false. */
  withTurns?: boolean | undefined
  /**
   * The positions of the turns of transcripts, in their order: called once, with those whose findings or turns the report
   * shows. Default: the `positions` that came with each transcript.
   */
  locate?:
    | ((cases: readonly PlannedCase[]) => Promise<readonly (readonly (Position | undefined)[] | undefined)[]>)
    | undefined
  /** True for an absolute path that the caller left out, so that an update of the baseline keeps its entries. Default: none. */
  isExcluded?: ((path: string) => boolean) | undefined
  /** The exit code of a check that fails. Default: 100. */
  failedExit?: number | undefined
  /** The exit code of a check that `signal` stopped, by its reason. Default: that of its verdict. */
  stoppedExit?: ((reason: unknown) => number) | undefined
  /** The signal of the check: once it is aborted, the check passes only if all transcripts are judged. */
  signal?: AbortSignal | undefined
  /** The time. Default: that of the machine. */
  clock?: Clock | undefined
}

/** Judge the answers to a plan. The third of three steps of a check. */
export async function concludeCheck(
  plan: CheckPlan,
  answers: CheckAnswers,
  given: ConcludeOptions = {},
): Promise<CheckResult> {
  const options = checkedOptions(given, [])
  const { signal, clock = systemClock, stoppedExit, isExcluded, failedExit = gateExits.failed } = options
  const { baseline, unread, files, today, against } = plan
  const knownFacts = { ...options, ended_at: new Date(clock.now()).toISOString() }
  if (answers.failure) {
    const { error } = answers.failure
    return resultOf(endedReport(endOf(error), { ...options, plan, answers }), { failure: { error } })
  }
  const view = await viewOf(plan, answers, options)
  const notRead = new Set(unread.map(({ path }) => files.resolve(path)))
  const isUnseen = (file: string) => notRead.has(file) || isExcluded?.(file) === true
  const places = checkedPlaces(files, baseline?.path ?? '', plan.paths ?? plan.roots, isUnseen)
  const reportOf = (cases: readonly ReportCase[], facts: Pick<Facts, 'baseline' | 'mustJudgeAll'>) =>
    conclude(withUnread(cases, unread, plan.tagsOfPath), {
      ...factsOf(plan, answers, knownFacts),
      notes: [...(options.notes ?? []), ...(plan.stored?.notes ?? []), ...answers.notes, ...expiryNotes(cases, today)],
      losses: sumOfLosses(plan.cases.map(({ conversation }) => conversation)),
      ...{ usage: answers.usage, saved: answers.saved, redacted: options.redacted ?? {} },
      ...{ unmatchedPatterns: plan.unmatchedPatterns, gateExit: failedExit, mayBeEmpty: options.allowEmpty },
      stoppedBy: signal?.aborted ? stoppedExit?.(signal.reason) : undefined,
      ...facts,
    })
  const next = (before: Baseline | undefined, { cases, now }: Accepted, acceptance: Acceptance = {}) => {
    if (!now) return undefined
    const report = () => reportOf(cases, { baseline: null, mustJudgeAll: false })
    const ofJudge = baseline?.accept && judgeUpdate({ ...baseline, before, against }, report(), acceptance)
    return nextBaseline(before, now, cases, { places, acceptance, today, ...ofJudge })
  }
  const update = baseline?.write && (await updated(baseline.write, acceptAll(plan, answers, view), next))
  // A baseline that could not be written accepts nothing.
  const inForce = update?.failure === undefined ? update : undefined
  const held = inForce ? (inForce.written?.baseline ?? inForce.now) : baseline?.before
  const cases = casesOf(plan, answers, view, inForce)
  const report = reportOf(cases, {
    baseline: baseline
      ? baselineReport({ path: baseline.path, sha256: held ? digestOf(canonicalJson(held)) : null }, cases, {
          missing: baseline.missing,
          edited: plan.cases.filter(({ entry, identity }) => entry && entry.sha256 !== identity.sha256).length,
          isOutside: places.isOutside,
          written: inForce?.written,
        })
      : null,
    // An outage cut the run short, and a baseline that is not written accepts nothing.
    mustJudgeAll:
      signal?.aborted === true || inForce !== undefined || answers.cases.some(({ ended }) => ended === 'outage'),
  })
  const labelled = options.labels ? { ...report, labels: labelFigures(report, options.labels) } : report
  return resultOf(against ? comparedWith(labelled, against, failedExit) : labelled, {
    ...{ updated: inForce?.written, baselineFailure: update?.failure },
    nextBaseline(acceptance = {}) {
      const { expires } = acceptance
      if (expires !== undefined && !isDay(expires))
        throw new CheckError('invalid_option', 'nextBaseline: expected expires to be a day such as 2026-12-31.')
      return next(baseline?.before, acceptAll(plan, answers, view), acceptance)?.baseline
    },
  })
}

type ViewOf = (each: AskedCase) => CaseView

/** How the report shows each transcript, with the positions of those that it points at. */
async function viewOf(
  plan: CheckPlan,
  { cases }: CheckAnswers,
  { withTurns: turns = false, locate }: ConcludeOptions,
): Promise<ViewOf> {
  if (!locate) return () => ({ turns })
  const shown = cases.filter((each) => turns || isPointedAt(plan, each))
  const located = await locate(shown)
  const positions = new Map(shown.map(({ index }, at) => [index, located[at]]))
  return ({ index }) => ({ turns, positions: positions.get(index) })
}

/** The cases if all findings are accepted, and the baseline of them; undefined if one is not judged. */
interface Accepted {
  cases: ReportCase[]
  now: Baseline | undefined
}

function acceptAll(plan: CheckPlan, answers: CheckAnswers, view: ViewOf): Accepted {
  const { run, cases } = accepted(plan, answers.cases)
  const reported = cases.map((each) => reportCase(run, each, view(each)))
  const identities = plan.cases.map(({ identity }) => identity)
  return { cases: reported, now: plan.unread.length === 0 ? foundBaseline(plan, identities, reported) : undefined }
}

/** The cases of the report: held to the baseline, or to that which the run wrote. */
function casesOf(
  plan: CheckPlan,
  { cases }: CheckAnswers,
  view: ViewOf,
  update: (Accepted & { written?: NextBaseline }) | undefined,
): ReportCase[] {
  if (update && !plan.baseline?.accept) return update.cases
  const run = update?.written ? heldTo(plan, cases, update.written.baseline) : { run: plan, cases }
  return run.cases.map((each) => reportCase(run.run, each, view(each)))
}

/** The cases as a further run would judge them, which has this baseline. */
function heldTo(
  plan: CheckPlan,
  cases: readonly AskedCase[],
  baseline: Baseline,
): { run: Judging; cases: AskedCase[] } {
  const identities = cases.map(({ identity }) => identity)
  const { entries } = matchBaseline(baseline, identities)
  return {
    run: { ...plan, pinned: baseline },
    cases: cases.map((each, at) => {
      const entry = entries[at]
      return { ...each, entry, before: entry && acceptedFor(entry, each.identity.sha256, plan.today) }
    }),
  }
}

/** Write the baseline; `failure` is why it could not be written. */
async function updated(
  write: BaselineWriter,
  accepting: Accepted,
  next: (before: Baseline | undefined, accepting: Accepted, acceptance?: Acceptance) => NextBaseline | undefined,
): Promise<Accepted & { written?: NextBaseline; failure?: unknown }> {
  if (!accepting.now) return accepting
  try {
    const written = await write((before, acceptance) => next(before, accepting, acceptance) as NextBaseline)
    return { ...accepting, written }
  } catch (failure) {
    return { ...accepting, failure }
  }
}

type KnownFacts = RunFacts & Pick<CheckReport, 'ended_at'>

/** The facts of a report that a plan and its answers know. */
function factsOf(
  plan: CheckPlan,
  { requests, service: address }: Pick<CheckAnswers, 'requests' | 'service'>,
  { commit, service, leftOut, ended_at }: KnownFacts,
) {
  const { annotator, policy, limits, selection, control, shard, paths, options, stored } = plan
  return {
    ...{ svc_versions: [version], annotator, policy, attempts: limits.attempts, confirm_on_fail: limits.confirmOnFail },
    ...(ended_at !== undefined && { ended_at }),
    ...(commit && { commit }),
    ...(stored && { filters: stored.filters }),
    ...(selection && { selection }),
    ...(control !== undefined && { control }),
    ...(shard && { shard }),
    service: service ?? address,
    ...{ paths, options: options ?? {}, left_out: leftOut ?? [], requests },
  }
}

/** The facts of a run that ended before it could judge. */
export interface EndedRun extends RunFacts {
  /** Absent if it ended before it knew what to check. */
  plan?: CheckPlan | undefined
  /** Absent if nothing was asked. */
  answers?: CheckAnswers | undefined
  /** Without a plan: the files and records that could not be read. */
  unread?: readonly Unread[] | undefined
  /** Without a plan: the annotator. */
  annotator?: string | undefined
  /** Without a plan: the policy in force. */
  policy?: Policy | undefined
  /** Without a plan: the checked paths. */
  paths?: readonly string[] | undefined
  /** Without a plan: the shard. */
  shard?: Shard | undefined
  /** The time. Default: that of the machine. */
  clock?: Pick<Clock, 'now'> | undefined
}

/** The report of a run that ended before it could judge: not judged, with the reason. */
export function endedReport(end: RunEnd, run: EndedRun): CheckReport {
  const { plan, answers, policy, annotator = '', paths = null, shard, clock = systemClock } = run
  const gap = notAnnotated(end.message, end.exit === gateExits.temporary)
  const cases = (plan?.cases ?? []).map((each) =>
    reportCase(plan as CheckPlan, { ...each, answers: [], gap }, { turns: false }),
  )
  const ended_at = new Date(clock.now()).toISOString()
  const { commit, service = null, leftOut = [], notes = [] } = run
  return concludeError(end, withUnread(cases, plan?.unread ?? run.unread ?? [], plan?.tagsOfPath), {
    ...(plan
      ? factsOf(plan, answers ?? nothingAsked, { ...run, ended_at })
      : {
          ...{ ended_at, annotator, paths, service, left_out: leftOut },
          ...(commit && { commit }),
          ...(policy && { policy }),
          ...(shard && { shard: shardFacts(shard, policy) }),
        }),
    notes: [...notes, ...(answers?.notes ?? [])],
  })
}

function endOf(error: unknown): RunEnd {
  const { details, hint } = error instanceof CheckError ? error : { details: [], hint: undefined }
  const kind = error instanceof ServiceError ? error.kind : error instanceof CheckError ? error.code : 'unexpected'
  const exit = stepOf(error) === 'try_later' ? gateExits.temporary : gateExits.notJudged
  return { kind, message: messageOf(error), details: [...details], hint, exit }
}
