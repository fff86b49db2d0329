import type { ReportCase } from '../report/index.js'
import { type AskOptions, askPlan } from './ask.js'
import type { CheckResult } from './check-result.js'
import { type ConcludeOptions, concludeCheck } from './conclude-check.js'
import { checkedOptions } from './options.js'
import { type PlanOptions, planCheck } from './plan.js'
import { reportCase } from './report-case.js'

/** Options of `check`: those of its three steps. */
export interface CheckOptions extends PlanOptions, AskOptions, ConcludeOptions {
  /** Called once with each case: as soon as it is judged, or at the end if nothing was asked about it. An error of it ends the check, and is thrown. */
  onCase?: ((each: ReportCase) => void) | undefined
  /** The time. Default: that of the machine. */
  clock?: AskOptions['clock']
  /** Its abort ends the check: transcripts that are not annotated by then are not judged, so that it does not pass. */
  signal?: AbortSignal | undefined
}

/**
 * Check transcripts with an annotator and a policy: plan, ask, conclude. A transcript that fails, that cannot be annotated or
 * that cannot be read is a result and no error, and so is a service that cannot be reached. Reads and writes no file but the
 * cache that it is given, and nothing of the process or the terminal.
 *
 * @throws {CheckError} for options or a policy that cannot be used, before the first request
 *
 * @example
 * const { verdict, report } = await check({ client: createClient(), annotator: 'structural', transcripts })
 * console.log(report.line)
 */
export async function check(options: CheckOptions): Promise<CheckResult> {
  const given = checkedOptions(options, ['client', 'transcripts'])
  const { onCase, withTurns: turns = false } = given
  const plan = await planCheck(given)
  const asked = new Set<number>()
  const answers = await askPlan(plan, {
    ...given,
    async onAnswered(cases) {
      for (const each of cases) {
        asked.add(each.index)
        onCase?.(reportCase(plan, each, { turns }))
      }
      await given.onAnswered?.(cases)
    },
  })
  const result = await concludeCheck(plan, answers, given)
  const indexes = plan.cases.map(({ index }) => index)
  const unreadAt = new Set(plan.unread.map(({ after }, at) => after + at))
  for (const [at, each] of result.cases.entries()) {
    const index = unreadAt.has(at) ? undefined : indexes.shift()
    if (index === undefined || !asked.has(index)) onCase?.(each)
  }
  return result
}
