import type { SvcClient } from '@svc/client'
import { askerOf } from '../../annotating.js'
import { type AskedTogether, askAll, type Question, type Way } from '../../checks/asking.js'
import type { Baseline, Versions } from '../../checks/baseline/baseline.js'
import { refuseOtherVersions } from '../../checks/baseline/baseline-file.js'
import type { Cache } from '../../checks/cache/cache.js'
import { createVersions } from '../../checks/cache/cache-versions.js'
import { recallFrom } from '../../checks/cache/recall.js'
import type { Case } from '../../checks/cases.js'
import { listedVersions } from '../../checks/registry.js'
import type { Context } from '../../context.js'
import { labelOf } from '../../conversations.js'
import { CliError, concernsRun, exit, exitCodeFor } from '../../exit.js'
import { grouped } from '../../grouped.js'
import { startProgress } from '../../progress.js'
import { tellFailures } from '../../report-error.js'
import { count } from '../../text.js'
import type { PlannedCases } from './cases-of.js'
import type { Setup } from './setup.js'

/** What was asked, and what it took. */
export interface Answers {
  /** With what came of asking about each. */
  cases: Case[]
  requests: { sent: number; cached: number; same: number }
  usage: { tokens_in: number; tokens_out: number; latency_ms: number }
}

/** Asks about every transcript that the cache has no answer to. */
export async function askAbout(
  context: Context,
  { cases }: PlannedCases,
  setup: Setup,
  { baseline, cache }: { baseline: Baseline | undefined; cache: Cache | undefined },
): Promise<Answers> {
  const { annotator, policy, attempts, confirmOnFail, concurrency } = setup
  const call = callWithin(context, context.flags.deadline === undefined ? policy.deadlineMs : undefined)
  const client = await context.client()
  const registry = await registryOf(client, annotator, call)
  const { versions } = registry
  if (baseline && setup.baseline?.update === false && versions)
    refuseOtherVersions(setup.baseline.path, baseline, versions)
  const came = new Map<Question, AskedTogether>()
  const progress = await startProgress(context, `checking ${count(cases.length, 'transcript')}`)
  const way: Way = {
    ...{ attempts, confirmOnFail, concurrency, maxTokens: policy.maxTokens },
    ...recallFrom(
      cache && versions && (await memoryOf(context, cache, versions, () => listedVersions(client, annotator, call))),
    ),
    ask: 'error' in registry ? async () => ({ error: registry.error, code: exit.temporary }) : askerOf(client, call),
    isStopped: () => context.io.signal.aborted,
  }
  const questions = cases.map(({ question }) => question)
  try {
    for await (const each of askAll(questions, way)) {
      for (const question of each.questions) came.set(question, each)
      progress.update(() => `${came.size} of ${count(cases.length, 'transcript')}`)
    }
  } finally {
    progress.stop()
  }
  const asked = cases.map((each) => ({ ...each, asked: came.get(each.question) }))
  tellEnds(context, asked)
  return { cases: asked, ...costOf(cases, came) }
}

/** The versions of the annotator where the service lists them, or why it could not be asked just now. */
async function registryOf(
  client: SvcClient,
  annotator: string,
  call: Context['call'],
): Promise<{ versions: Versions | undefined } | { versions: undefined; error: unknown }> {
  try {
    return { versions: await listedVersions(client, annotator, call) }
  } catch (error) {
    if (exitCodeFor(error) === exit.temporary) return { versions: undefined, error }
    throw error
  }
}

async function memoryOf(
  { settings, say }: Context,
  cache: Cache,
  versions: Versions,
  relist: () => Promise<Versions | undefined>,
) {
  const baseUrl = (await settings()).baseUrl?.value ?? ''
  return { cache, baseUrl, versions: createVersions(versions, relist, say) }
}

/** The options of a call as the context gives them, within the deadline of a policy, too. */
function callWithin(context: Context, deadlineMs: number | undefined): Context['call'] {
  if (deadlineMs === undefined) return context.call
  const until = context.now() + deadlineMs
  return () => {
    const left = until - context.now()
    if (left > 0) return { ...context.call(), deadlineMs: left }
    throw new CliError(exit.temporary, 'The deadline of the policy has passed.', {
      hint: 'run it again, or raise "deadline" in the policy',
    })
  }
}

/** Says why transcripts were not annotated. Where nothing could be asked at all, the reason is the answer. */
function tellEnds({ io }: Context, cases: readonly Case[]): void {
  const failures = cases.flatMap(({ conversation, asked }) => {
    const ended = asked?.ended
    return ended && ended !== 'over budget' ? [{ of: labelOf(conversation), ...ended }] : []
  })
  const reason = failures.find(({ code }) => concernsRun(code))
  const isAll = cases.every(({ asked }) => asked === undefined || (asked.votes.length === 0 && asked.ended))
  if (reason && isAll) throw reason.error
  tellFailures(io, failures)
}

function costOf(cases: readonly Case[], came: ReadonlyMap<Question, AskedTogether>): Omit<Answers, 'cases'> {
  const requests = { sent: 0, cached: 0, same: 0 }
  const usage = { tokens_in: 0, tokens_out: 0, latency_ms: 0 }
  for (const group of grouped(cases, ({ question }) => question.digest).values()) {
    const { votes = [] } = came.get((group[0] as Case).question) ?? {}
    if (votes.length > 0) requests.same += group.length - 1
    for (const { annotation, from } of votes) {
      requests[from === 'asked' ? 'sent' : 'cached']++
      if (from === 'cached') continue
      usage.tokens_in += annotation.usage.tokens_in
      usage.tokens_out += annotation.usage.tokens_out
      usage.latency_ms += annotation.usage.latency_ms
    }
  }
  return { requests, usage }
}
