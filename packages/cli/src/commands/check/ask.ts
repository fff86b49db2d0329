import { askPlan, type Cache, type CheckAnswers, type CheckPlan, nothingAsked, outageThreshold } from '@svc/checks'
import { count } from '@svc/text'
import { leftOfRun, type PlannedAnnotation } from '../../annotation-requests.js'
import type { Context } from '../../context.js'
import { reportFailures, writeLines } from '../../errors.js'
import { labelOf } from '../../input/index.js'
import { type Progress, startProgress } from '../../output/index.js'
import { writeWarning } from '../../terminal.js'

/** Ask for the annotations of a plan, with a progress bar, and say on stderr what failed. */
export async function ask(
  context: Context,
  requests: readonly PlannedAnnotation[],
  plan: CheckPlan,
  { cache, concurrency }: { cache: Cache | undefined; concurrency: number },
): Promise<CheckAnswers> {
  const total = plan.cases.length
  if (total === 0) return nothingAsked
  const { io, say } = context
  const client = await context.client({ calls: total * plan.limits.attempts, atOnce: concurrency })
  const pace = () => ({ done, total, window: client.rateLimits().annotation })
  let progress: Progress | undefined
  let done = 0
  const answers = await askPlan(plan, {
    ...{ client, cache, concurrency, signal: io.signal, clock: io.clock },
    deadlineMs: leftOfRun(context),
    onStop: (open) => say(`Stopping after ${count(open, 'open request')}. Press Ctrl-C again to quit now.`),
    onNote: (text) => writeWarning(io, text),
    async onStart() {
      progress = await startProgress(context, 'checking')
      progress.update(pace)
    },
    async onAnswered(cases) {
      done += cases.length
      progress?.update(pace)
      // Cached answers come without a wait, in which a signal would be noticed.
      await io.checkpoint().catch(() => {})
    },
  }).finally(() => progress?.stop())
  reportEnds(context, requests, answers, concurrency)
  return answers
}

function reportEnds(
  { io }: Context,
  requests: readonly PlannedAnnotation[],
  { cases, refusal, failure, isCached }: CheckAnswers,
  concurrency: number,
): void {
  if (failure) return
  if (refusal) return writeLines(io, refusal.message, refusal.details, refusal.hint)
  const failures = cases.flatMap(({ index, ended }) => {
    const request = requests[index]
    const isFailure = typeof ended === 'object' && ended.step !== 'stopped'
    return isFailure && request ? [{ of: labelOf(request.conversation), error: ended.error }] : []
  })
  reportFailures(io, failures)
  const total = count(cases.length, 'transcript')
  const missing = cases.filter(({ decisive }) => decisive === undefined)
  const unasked = missing.filter(({ ended }) => ended === 'outage').length
  if (unasked > 0) {
    const stopped = `Stopped after ${count(outageThreshold(concurrency), 'failed request')} in a row`
    const hint = `run the command again when the service answers${isCached ? ': finished annotations are in the cache' : ''}`
    writeLines(io, `${stopped}; ${unasked} of ${total} not asked.`, [], hint)
  }
  const left = missing.length - failures.length
  if (!io.signal.aborted || left === 0) return
  const hint = isCached ? 'run the command again to continue: finished annotations are in the cache' : undefined
  writeLines(io, `Stopped by ${io.signal.reason}; ${left} of ${total} not answered.`, [], hint)
}
