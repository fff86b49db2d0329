import {
  type Answered,
  type AskOptions,
  annotationOf,
  askAll,
  type Baseline,
  type Cache,
  type Case,
  cachedAnswers,
  type Gap,
  type Listing,
  lookUpAnnotator,
  notComparable,
  outageThreshold,
  type Question,
  sumOf,
  unlistedText,
} from '@svc/checks'
import type { ClientEvent, Shutdown, SvcClient } from '@svc/client'
import { labelOf } from '@svc/input'
import { count, grouped } from '@svc/text'
import { type Answer, annotateWith, type Usage, usageOf } from '../../annotate/index.js'
import { type Context, shutdownOf } from '../../context.js'
import { exitCodeFor, reportFailures, writeLines } from '../../errors/index.js'
import { CliError, concernsRun, type ExitCode, exit } from '../../exit.js'
import { startProgress } from '../../output/index.js'
import type { PlannedCases, Setup } from './setup.js'

/** The requests of a check and their cost. */
export interface Answers {
  /** With what came of asking about each. */
  cases: Case[]
  requests: { sent: number; cached: number; same: number }
  usage: Usage
  /** The tokens of answers that were not asked for again. */
  saved: Pick<Usage, 'tokens_in' | 'tokens_out'>
}

/** The cached answers. */
interface Kept {
  baseline: Baseline | undefined
  cache: Cache | undefined
  /** Says what the run cannot do as it should; the reports say it too. */
  warn(text: string): void
  /** Counts the annotation requests as they are sent. */
  sent: { count: number }
}

/** Asks about every transcript that the cache has no answer to; about none where the baseline is not comparable. */
export async function askAbout(
  context: Context,
  { cases }: PlannedCases,
  setup: Setup,
  { baseline, cache, warn, sent }: Kept,
): Promise<Answers> {
  if (cases.length === 0) return { cases: [], ...costOf([], new Map(), 0) }
  const { policy, attempts, confirmOnFail, concurrency } = setup
  const deadline = deadlineOf(context, policy.deadlineMs, cache !== undefined)
  const client = await context.client({ calls: cases.length * attempts, atOnce: concurrency })
  const registry = await registryOf(client, setup, deadline)
  const { versions, unlisted } = registry
  if (unlisted) warn(unlistedText(setup.annotator, unlisted))
  else if (cache && !versions && !('error' in registry)) {
    const why = 'the annotator registry cannot be read, so the annotator’s version is unknown'
    warn(`the cache is not used: ${why}`)
  }
  const { options } = cases[0]?.question.body ?? {}
  const refusal =
    baseline && setup.baseline?.update === false
      ? notComparable(setup.baseline.path, baseline, { versions, options })
      : undefined
  if (refusal) return refused(context, cases, refusal)
  const { maxTokens } = policy
  // A baseline is written of all transcripts.
  const maxFailures = setup.baseline?.update ? undefined : policy.maxFailures
  const limits = { maxTokens, maxFailures, concurrency, isKept: cache !== undefined && !unlisted, unlisted }
  if ('error' in registry) {
    const failed = cases.map((each) => ({
      ...each,
      answered: { questions: [each.question], votes: [], ended: registry },
    }))
    reportEnds(context, failed, limits)
    return { cases: failed, ...costOf([], new Map(), 0) }
  }
  const came = new Map<Question, Answered>()
  const progress = await startProgress(context, 'checking')
  const pace = () => ({ done: came.size, total: cases.length, window: client.rateLimits().annotation })
  progress.update(pace)
  const shutdown = shutdownOf(context)
  const baseUrl = (await context.settings()).baseUrl?.value ?? ''
  const relist = async () => (await lookUpAnnotator(client, setup, deadline.call)).versions
  const way: AskOptions = {
    attempts,
    confirmOnFail,
    concurrency,
    maxTokens,
    maxFailures,
    ...cachedAnswers(cache, versions, { baseUrl, relist, warn }),
    ask: gracefully(context, client, deadline, shutdown, sent),
    isStopped: () => context.io.signal.aborted,
  }
  const questions = cases.map(({ question }) => question)
  try {
    for await (const each of askAll(questions, way)) {
      for (const question of each.questions) came.set(question, each)
      progress.update(pace)
      // Cached answers come without a wait, in which a signal would be noticed; `isStopped` ends the asking.
      await context.io.checkpoint().catch(() => {})
    }
  } finally {
    progress.stop()
    shutdown.end()
  }
  const asked = cases.map((each) => withGap({ ...each, answered: came.get(each.question) }, limits))
  reportEnds(context, asked, limits)
  const cost = costOf(cases, came, sent.count)
  if (maxTokens !== undefined && sumOf(cost.usage.tokens_in, cost.usage.tokens_out) === null)
    warn('the service does not show the tokens of all answers: the limit of tokens counts an estimate of what was sent')
  return { cases: asked, ...cost }
}

type Unanswered = Extract<Answer, { error: unknown }>

/** The annotator's entry in the registry, or the reason that it could not be read just now. */
async function registryOf(
  client: SvcClient,
  setup: Setup,
  { call, over }: Deadline,
): Promise<Listing | (Unanswered & Listing)> {
  try {
    return await lookUpAnnotator(client, setup, call)
  } catch (error) {
    if (exitCodeFor(error) !== exit.temporary) throw error
    return { error: over() ?? error, code: exit.temporary }
  }
}

/** Ask within the deadline. Requests under way when the run is stopped get some time, because they are billed. */
function gracefully(
  { io }: Context,
  client: SvcClient,
  { call, over }: Deadline,
  grace: Shutdown,
  sent: { count: number },
): AskOptions['ask'] {
  const annotate = annotateWith(client)
  return async (body) => {
    if (io.signal.aborted) return { error: io.signal.reason, code: exitCodeFor(io.signal.reason) }
    const count = counterOf(sent)
    const answer = await grace.watch(({ options: { signal, onEvent } }) => {
      const both = (event: ClientEvent) => {
        onEvent?.(event)
        count(event)
      }
      return annotate(body, () => ({ ...call(), ...(signal && { signal }), onEvent: both }))
    })
    const late = 'error' in answer && answer.code === exit.temporary ? over() : undefined
    return late ? { error: late, code: exit.temporary } : answer
  }
}

/** Counts the requests of a call that can have reached the service: refused and repeated ones too. */
function counterOf(sent: { count: number }): (event: ClientEvent) => void {
  let isUnderWay = false
  return (event) => {
    if (event.method !== 'POST') return
    if (event.type === 'request') sent.count++
    else if (isUnderWay && 'sent' in event && event.sent === 'no') sent.count--
    if (event.type !== 'warning' && event.type !== 'wait') isUnderWay = event.type === 'request'
  }
}

/** Send no request; the reports contain the reason for each transcript. */
function refused({ io }: Context, cases: readonly Case[], { message, details, hint }: CliError): Answers {
  writeLines(io, message, details, hint)
  const gap: Gap = { why: 'not comparable', detail: details.join('; '), temporary: false }
  return { cases: cases.map((each) => ({ ...each, gap })), ...costOf([], new Map(), 0) }
}

interface Limits {
  maxTokens: number | undefined
  maxFailures: number | undefined
  concurrency: number
}

/** The gap of a transcript that was not asked about, because none was any more. */
function withGap(each: Case, { maxTokens, maxFailures, concurrency }: Limits): Case {
  const ended = each.answered?.ended
  if (ended === 'outage') {
    const detail = `not asked: ${outageThreshold(concurrency)} requests in a row failed`
    return { ...each, gap: { why: 'not annotated', detail, temporary: true } }
  }
  if (ended === 'enough failures') {
    const detail = `not asked: ${count(maxFailures ?? 0, 'transcript')} failed`
    return { ...each, gap: { why: 'not annotated', detail, temporary: false } }
  }
  if (ended !== 'over budget') return each
  const detail = `the limit of ${count(maxTokens ?? 0, 'token')} is reached`
  return { ...each, gap: { why: 'over budget', detail, temporary: false } }
}

function costOf(cases: readonly Case[], came: ReadonlyMap<Question, Answered>, sent: number): Omit<Answers, 'cases'> {
  const requests = { sent, cached: 0, same: 0 }
  const usage: Usage = { tokens_in: 0, tokens_out: 0, latency_ms: 0 }
  const saved: Answers['saved'] = { tokens_in: 0, tokens_out: 0 }
  for (const group of grouped(cases, ({ question }) => question.digest).values()) {
    const { votes = [] } = came.get((group[0] as Case).question) ?? {}
    if (votes.length > 0) requests.same += group.length - 1
    for (const { annotation, from } of votes) {
      const used = usageOf(annotation)
      const times = group.length - (from === 'cached' ? 0 : 1)
      for (const name of ['tokens_in', 'tokens_out'] as const)
        if (times > 0) saved[name] = sumOf(saved[name], used[name] && used[name] * times)
      if (from === 'cached') {
        requests.cached++
        continue
      }
      for (const name of ['tokens_in', 'tokens_out', 'latency_ms'] as const)
        usage[name] = sumOf(usage[name], used[name])
    }
  }
  return { requests, usage, saved }
}

/** How long a check may ask. */
interface Deadline {
  /** The options of a call. Throws the error of `over`. */
  call: Context['call']
  /** Undefined as long as there is time. */
  over(): CliError | undefined
}

/** The most that a timer may be early, in milliseconds. */
const slackMs = 2

/** The deadline of the run where there is a flag, else that of the policy. */
function deadlineOf(context: Context, policyMs: number | undefined, isKept: boolean): Deadline {
  const isOfPolicy = context.flags.deadline === undefined
  const until = isOfPolicy && policyMs !== undefined ? context.monotonic() + policyMs : undefined
  const left = (): number | undefined => (until === undefined ? leftOfRun(context) : until - context.monotonic())
  const over = () => {
    if ((left() ?? Infinity) > slackMs) return undefined
    const goOn = isKept ? 'run the command again: finished annotations are in the cache' : 'run the command again'
    return new CliError(exit.temporary, `The deadline of ${isOfPolicy ? 'the policy' : 'this run'} has passed.`, {
      hint: `${goOn}; or raise ${isOfPolicy ? '"deadline" in the policy' : '--deadline'}`,
    })
  }
  return {
    over,
    call() {
      const late = over()
      if (late) throw late
      return { ...context.call(), deadlineMs: left() }
    },
  }
}

function leftOfRun(context: Context): number | undefined {
  try {
    return context.call().deadlineMs
  } catch {
    return 0
  }
}

/** Report why transcripts were not annotated. Throws the reason if none could be annotated. */
function reportEnds(
  { io }: Context,
  cases: readonly Case[],
  { concurrency, isKept, unlisted }: { concurrency: number; isKept: boolean; unlisted: CliError | undefined },
): void {
  const failures = cases.flatMap(({ conversation, answered }) => {
    const ended = answered?.ended
    return typeof ended === 'object' && !isStop(ended.code) ? [{ of: labelOf(conversation), ...ended }] : []
  })
  const reason = failures.find(({ code }) => concernsRun(code))
  const isAll = cases.every(({ answered }) => answered === undefined || (answered.votes.length === 0 && answered.ended))
  if (reason && isAll) throw reason.code === exit.notFound && unlisted ? unlisted : reason.error
  reportFailures(io, failures)
  const unasked = cases.filter((each) => each.answered?.ended === 'outage' && !annotationOf(each)).length
  if (unasked > 0) {
    writeLines(
      io,
      `Stopped after ${count(outageThreshold(concurrency), 'failed request')} in a row; ${unasked} of ${count(cases.length, 'transcript')} not asked.`,
      [],
      `run the command again when the service answers${isKept ? ': finished annotations are in the cache' : ''}`,
    )
  }
  const left = cases.filter((each) => !annotationOf(each)).length - failures.length
  if (!io.signal.aborted || left === 0) return
  const hint = isKept ? 'run the command again to continue: finished annotations are in the cache' : undefined
  writeLines(
    io,
    `Stopped by ${io.signal.reason}; ${left} of ${count(cases.length, 'transcript')} not answered.`,
    [],
    hint,
  )
}

const isStop = (code: ExitCode): boolean => code === exit.interrupted || code === exit.terminated
