import {
  type Answers,
  annotationOf,
  askCases,
  type Baseline,
  type Cache,
  createDeadline,
  failuresOf,
  nothingAsked,
  outageThreshold,
  type Planned,
} from '@svc/checks'
import { count } from '@svc/text'
import type { PlannedAnnotation } from '../../annotation-requests.js'
import type { Context } from '../../context.js'
import { reportFailures, writeLines } from '../../errors.js'
import { labelOf } from '../../input/index.js'
import { type Progress, startProgress } from '../../output/index.js'
import { writeWarning } from '../../terminal.js'
import type { Setup } from './setup.js'

export async function ask(
  context: Context,
  requests: readonly PlannedAnnotation[],
  { cases }: Planned,
  setup: Setup,
  { baseline, cache }: { baseline: Baseline | undefined; cache: Cache | undefined },
): Promise<Answers> {
  if (cases.length === 0) return nothingAsked
  const { io, say } = context
  const { annotator, annotatorPlace, attempts, confirmOnFail, concurrency, policy, verify } = setup
  const client = await context.client({ calls: cases.length * attempts, atOnce: concurrency })
  const pace = () => ({ done, total: cases.length, window: client.rateLimits().annotation })
  const held = baseline && setup.baseline?.update === false ? { path: setup.baseline.path, baseline } : undefined
  let progress: Progress | undefined
  let done = 0
  const answers = await askCases(cases, {
    ...{ client, annotator, annotatorPlace, attempts, confirmOnFail, concurrency, cache, baseline: held, verify },
    maxTokens: policy.maxTokens,
    // A baseline is written of all transcripts.
    maxFailures: setup.baseline?.update ? undefined : policy.maxFailures,
    deadline: deadlineOf(context, policy.deadlineMs, cache !== undefined),
    signal: io.signal,
    clock: io.clock,
    onStop: (sent) => say(`stopping: ${count(sent, 'request')} under way; a second time ends at once`),
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
  reportEnds(context, requests, answers, { concurrency, isKept: cache !== undefined && !answers.unlisted })
  return answers
}

function deadlineOf(context: Context, policyMs: number | undefined, isKept: boolean) {
  const isOfRun = context.flags.deadline !== undefined
  const again = `run the command again${isKept ? ': finished annotations are in the cache' : ''}`
  return createDeadline(isOfRun ? leftOfRun(context) : policyMs, {
    of: isOfRun ? 'this run' : 'the policy',
    hint: `${again}; or raise ${isOfRun ? '--deadline' : '"deadline" in the policy'}`,
    monotonic: context.clock.monotonic,
  })
}

function leftOfRun(context: Context): number | undefined {
  try {
    return context.call().deadlineMs
  } catch {
    return 0
  }
}

function reportEnds(
  { io }: Context,
  requests: readonly PlannedAnnotation[],
  { cases, refusal, failure }: Answers,
  { concurrency, isKept }: { concurrency: number; isKept: boolean },
): void {
  if (failure) return
  if (refusal) return writeLines(io, refusal.message, refusal.details, refusal.hint)
  const failures = failuresOf(cases).flatMap(({ case: { question }, ended }) => {
    const request = requests[question.index]
    return request ? [{ of: labelOf(request.conversation), error: ended.error }] : []
  })
  reportFailures(io, failures)
  const total = count(cases.length, 'transcript')
  const unasked = cases.filter((each) => each.answered?.ended === 'outage' && !annotationOf(each)).length
  if (unasked > 0) {
    const stopped = `Stopped after ${count(outageThreshold(concurrency), 'failed request')} in a row`
    const hint = `run the command again when the service answers${isKept ? ': finished annotations are in the cache' : ''}`
    writeLines(io, `${stopped}; ${unasked} of ${total} not asked.`, [], hint)
  }
  const left = cases.filter((each) => !annotationOf(each)).length - failures.length
  if (!io.signal.aborted || left === 0) return
  const hint = isKept ? 'run the command again to continue: finished annotations are in the cache' : undefined
  writeLines(io, `Stopped by ${io.signal.reason}; ${left} of ${total} not answered.`, [], hint)
}
