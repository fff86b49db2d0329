import { reportCase } from '../../checks/cases.js'
import { type Circumstances, concludeError } from '../../checks/conclude.js'
import { gapOf } from '../../checks/judge.js'
import { withUnread } from '../../checks/unread.js'
import type { Context } from '../../context.js'
import type { LeftOut } from '../../input/left-out.js'
import type { Unread } from '../../reading.js'
import { describe, exitCodeFor } from '../../report-error.js'
import { deliverError } from '../../reports/deliver.js'
import { isReport } from '../../reports/own-report.js'
import { shownUrl } from '../../settings/resolve.js'
import { version } from '../../version.js'
import type { PlannedCases } from './cases-of.js'
import type { CheckFlags } from './check-flags.js'
import type { Setup } from './setup.js'

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
  leftOut?: LeftOut
  planned?: PlannedCases
  /** Files and records that could not be read as transcripts. */
  unread: Unread[]
  notes: string[]
  sent: { count: number }
}

/** The circumstances on which the answers of a check depend, as far as they are known. */
export async function circumstancesOf(context: Context, { paths, setup, planned }: Run): Promise<Circumstances> {
  const settings = await context.settings().catch(() => undefined)
  const address = settings?.baseUrl?.value
  return {
    svc_versions: [version],
    service: address === undefined ? null : shownUrl(address),
    paths: setup?.paths ?? paths,
    options: planned ? (planned.cases[0]?.question.body.options ?? {}) : null,
    attempts: setup?.attempts ?? null,
    confirm_on_fail: setup?.confirmOnFail ?? null,
  }
}

/** Writes into every report why a check ended before it could judge. */
export async function reportEnd(context: Context, flags: CheckFlags, run: Run, error: unknown): Promise<void> {
  const { io } = context
  const { stage, paths, setup, leftOut = [], planned, unread, notes, sent } = run
  const gap = gapOf(exitCodeFor(error), describe(error).message)
  const cases = (planned?.cases ?? []).map((each) => reportCase({ ...each, asked: undefined, gap }, { turns: false }))
  const report = concludeError(error, withUnread(cases, unread), {
    ...(await circumstancesOf(context, run)),
    ...{ annotator: setup?.annotator ?? flags.annotator ?? '', notes, ...(setup && { policy: setup.policy }) },
    requests: { sent: sent.count, cached: 0, same: 0 },
    left_out: [...leftOut].map(([why, found]) => ({ why, ...found })),
  })
  const inputs = new Set(paths.map((path) => io.resolve(path)))
  // As long as it is not known what else the check reads, a transcript could stand in the place of a report.
  const mayReplace = (file: string) => stage === 'begun' || (!inputs.has(io.resolve(file)) && isReport(io, file))
  await deliverError(context, report, flags.report ?? [], mayReplace)
}
