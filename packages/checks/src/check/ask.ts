import { type Annotation, type CallOptions, type Clock, createShutdown, mapConcurrent, ServiceError } from '@svc/client'
import { count, type Deadline, grouped } from '@svc/text'
import { priceOf, type Usage, usageOf, versionNotes } from '../annotation.js'
import { notComparable } from '../baseline/index.js'
import type { Cache } from '../cache.js'
import { CheckError } from '../check-error.js'
import { notAnnotated } from '../judge/index.js'
import { type Gap, money, sumOf } from '../report/index.js'
import { nothingFound, runRules } from '../rules/index.js'
import { sameVersion } from './accept-judge.js'
import {
  type AnnotatingClient,
  type AnnotationResult,
  concernsRun,
  estimatedTokens,
  type Failure,
  MalformedAnnotation,
  stepOf,
  stopsRun,
  type TokenCount,
  tokensOf,
} from './annotate.js'
import { isFailed, needsAnotherAttempt } from './attempts.js'
import { type CachedAnswers, cachedAnswers } from './cached-answers.js'
import { type Answer, type AskedCase, answered, attemptResults, type PlannedCase } from './case.js'
import { checkedTranscript } from './input.js'
import { checkedOptions } from './options.js'
import type { CheckPlan } from './plan.js'
import { type Listing, lookUpAnnotator, unlistedText } from './registry.js'
import {
  type Ask,
  addressOf,
  type Counter,
  createAsk,
  createCounter,
  deadlineOf,
  defaultConcurrency,
  outageThreshold,
} from './send-requests.js'

/** Options of `askPlan`. */
export interface AskOptions {
  /** The client that asks for the annotations. */
  client: AnnotatingClient
  /** Annotations of earlier runs, as `openCache` gives them. Close it after the check. */
  cache?: Cache | undefined
  /** The number of requests at the same time. Default: 4. */
  concurrency?: number | undefined
  /** The time after which no request is sent, in milliseconds. Default: that of the policy. */
  deadlineMs?: number | undefined
  /** Its abort ends the check: transcripts that are not annotated by then are not judged, so that it does not pass. */
  signal?: AbortSignal | undefined
  /** The time. Default: that of the machine. */
  clock?: Clock | undefined
  /** Do not read the registry first: one request less, but an annotator that it does not list is known by the answers alone. Default: false. */
  skipRegistry?: boolean | undefined
  /** Called before the first annotation is asked for. */
  onStart?: (() => void | Promise<void>) | undefined
  /** Called with the transcripts of each request as soon as they are answered; awaited. An error of it ends the check, and is thrown. */
  onAnswered?: ((cases: readonly AskedCase[]) => void | Promise<void>) | undefined
  /** Called with each problem of the run when it occurs, a sentence each; the report has them too. */
  onNote?: ((text: string) => void) | undefined
  /** Called once the run is stopped, with the number of open requests: these get some time, because they are billed. */
  onStop?: ((openRequests: number) => void) | undefined
}

/** The answers to a plan. */
export interface CheckAnswers {
  /** The transcripts of the plan in their order. */
  cases: readonly AskedCase[]
  /** Requests that were sent, answers from the cache, and answers shared by equal transcripts. */
  requests: { sent: number; cached: number; same: number }
  /** The usage of the requests; null for what the service does not show. */
  usage: Usage
  /** The tokens of answers that were not asked for again. */
  saved: Pick<Usage, 'tokens_in' | 'tokens_out'>
  /** Problems of the run, a sentence each. */
  notes: readonly string[]
  /** The base URL of the service; null if it is not known. */
  service: string | null
  /** True if a further run finds these answers in the cache. */
  isCached: boolean
  /** The baseline is of another version or of other options, so that nothing was sent. */
  refusal?: CheckError | undefined
  /** The reason why nothing could be annotated, if it concerns the whole run. */
  failure?: { error: unknown } | undefined
}

/** The answers to a plan without transcripts. */
export const nothingAsked: CheckAnswers = {
  cases: [],
  requests: { sent: 0, cached: 0, same: 0 },
  usage: { tokens_in: 0, tokens_out: 0, latency_ms: 0 },
  saved: { tokens_in: 0, tokens_out: 0 },
  notes: [],
  service: null,
  isCached: false,
}

/**
 * Ask about every transcript of a plan that the cache has no answer to; about none if the baseline is not comparable. The
 * second of three steps of a check.
 */
export async function askPlan(plan: CheckPlan, given: AskOptions): Promise<CheckAnswers> {
  const options = checkedOptions(given, ['client'])
  const { signal = new AbortController().signal, concurrency = defaultConcurrency } = options
  const deadline = deadlineOf(plan.policy, options)
  return askWithin(plan, { ...options, concurrency, signal, deadline }).finally(deadline.end)
}

async function askWithin(plan: CheckPlan, run: Run): Promise<CheckAnswers> {
  const { client, cache, signal, deadline } = run
  const { annotator, policy, baseline } = plan
  const notes: string[] = []
  const warn = (text: string) => {
    notes.push(text)
    run.onNote?.(text)
  }
  const address = addressOf(client) ?? null
  const cases = plan.cases.map(
    ({ refusal, ...each }): AskedCase => ({ ...each, answers: [], gap: refusal ? notAnnotated(refusal) : undefined }),
  )
  const none = (more: Partial<CheckAnswers>): CheckAnswers => ({
    ...{ ...nothingAsked, cases, notes, service: address },
    ...more,
  })
  const open = plan.cases.filter(({ refusal }) => refusal === undefined)
  if (open.length === 0) return none({})
  const call = () => ({ signal, deadlineMs: deadline.left() })
  const registry = run.skipRegistry ? { baseUrl: '' } : await listingOf(plan, run, call)
  if ('failure' in registry) return none(registry)
  const { versions, unlisted, unread, baseUrl }: Listing & { unread?: Failure } = registry
  const service = address ?? (baseUrl || null)
  if (unlisted) warn(unlistedText(annotator, unlisted))
  else if (cache && !versions && !unread)
    warn('the cache is not used: the annotator registry cannot be read, so the annotator’s version is unknown')
  const held = baseline?.write ? undefined : baseline?.before
  const refusal = baseline && held && notComparable(baseline.path, held, { versions, options: plan.options })
  const withAll = (more: Pick<AskedCase, 'gap' | 'ended'>) =>
    cases.map((each) => (each.gap ? each : { ...each, ...more }))
  if (refusal) {
    const gap = { why: 'not comparable' as const, detail: refusal.details.join('; '), temporary: false }
    return none({ cases: withAll({ gap }), refusal, service })
  }
  if (unread) return none({ cases: withAll({ ended: unread }), service })
  const same = baseline?.accept && baseline.before && versions && sameVersion(baseline.path, baseline.before, versions)
  if (same) return none({ failure: { error: same }, service })
  const relist = async () => (await lookUpAnnotator(client, plan, call())).versions
  const lookUps = cachedAnswers(cache, { listed: versions, baseUrl, relist, warn })
  await run.onStart?.()
  const counter = createCounter()
  const asked = await answersTo(plan, open, run, { call, lookUps, counter }).catch(policyFailure)
  const failure = asked instanceof CheckError ? asked : await plan.verify?.().catch(policyFailure)
  const sent = counter.sent()
  if (failure || asked instanceof CheckError)
    return none({ failure: { error: failure }, service, requests: { sent, cached: 0, same: 0 } })
  lookUps.noteDamaged()
  const all = [...asked.values()]
  for (const note of versionNotes(all.flatMap(({ answers }) => answers.map(({ annotation }) => annotation)))) warn(note)
  const spent = costOf(all, sent)
  const limited = policy.maxTokens !== undefined ? 'tokens' : policy.maxCost !== undefined ? 'cost' : undefined
  if (limited && sumOf(spent.usage.tokens_in, spent.usage.tokens_out) === null)
    warn(
      `the service does not show the tokens of all answers: the limit of ${limited} counts an estimate of what was sent`,
    )
  return {
    cases: cases.map((each) => asked.get(each.index) ?? each),
    ...{ ...spent, notes, service, isCached: cache !== undefined && !unlisted },
    failure: failureOf(all, unlisted),
  }
}

/** The options that all requests of a run share. */
interface Run extends AskOptions {
  concurrency: number
  signal: AbortSignal
  deadline: Deadline
}

/** The error of a policy whose code failed outside of a rule; any other is thrown. */
function policyFailure(error: unknown): CheckError {
  if (error instanceof CheckError && error.code === 'policy_failed') return error
  throw error
}

/** The annotator's entry in the registry. `unread`: it could not be read just now. */
async function listingOf(
  plan: CheckPlan,
  { client, deadline }: Run,
  call: () => CallOptions,
): Promise<(Listing & { unread?: Failure }) | { failure: { error: unknown } }> {
  try {
    return await lookUpAnnotator(client, plan, call())
  } catch (error) {
    const step = stepOf(error)
    if (step !== 'try_later') return { failure: { error } }
    return { unread: { error: deadline.passed() ?? error, step }, baseUrl: '' }
  }
}

interface Means {
  call(): CallOptions
  lookUps: CachedAnswers
  counter: Counter
}

/** The transcripts that were asked about by their index; those that a stopped run did not reach are missing. */
async function answersTo(
  plan: CheckPlan,
  open: readonly PlannedCase[],
  run: Run,
  means: Means,
): Promise<ReadonlyMap<number, AskedCase>> {
  const { signal, clock, onStop, onAnswered } = run
  const shutdown = createShutdown({ signal, clock, ...(onStop && { onStop }) })
  const asked = new Map<number, AskedCase>()
  try {
    for await (const group of askAll(plan, open, run, means, createAsk({ ...run, ...means, shutdown }))) {
      for (const each of group) asked.set(each.index, each)
      await onAnswered?.(group)
    }
  } finally {
    shutdown.end()
  }
  return asked
}

/** A failure of the service or the network; neither a 429 nor a deadline is one. */
const isOutageFailure = (result: AnnotationResult): boolean =>
  'error' in result &&
  result.step === 'try_later' &&
  !(result.error instanceof CheckError) &&
  !(result.error instanceof ServiceError && result.error.kind === 'rate_limited')

/** Ask each distinct request once, with limited concurrency; yields its transcripts in the order of completion. */
async function* askAll(
  plan: CheckPlan,
  open: readonly PlannedCase[],
  run: Run,
  { lookUps: { lookUp, store } }: Means,
  askService: Ask,
): AsyncGenerator<AskedCase[], void, undefined> {
  const { policy, limits, baseline } = plan
  const { concurrency, signal } = run
  const { maxTokens, maxCost, prices } = policy
  // A baseline is written of all transcripts.
  const maxFailures = baseline?.write ? undefined : policy.maxFailures
  let isRunStopped = false
  const tokens: TokenCount = { in: 0, out: 0 }
  const spend = (more: TokenCount) => {
    tokens.in += more.in
    tokens.out += more.out
  }
  let failures = 0
  let failuresInARow = 0
  let isOutage = false
  const ask: Ask = async (body) => {
    const result = await askService(body)
    failuresInARow = isOutageFailure(result) ? failuresInARow + 1 : 0
    isOutage ||= failuresInARow >= outageThreshold(concurrency)
    return result
  }
  const outage = notAnnotated(`not asked: ${outageThreshold(concurrency)} requests in a row failed`, true)
  const enough = notAnnotated(`not asked: ${count(maxFailures ?? 0, 'transcript')} failed`)
  /** The limit that is reached; undefined if none is. */
  const limit = () => {
    if (maxTokens !== undefined && tokens.in + tokens.out >= maxTokens) return count(maxTokens, 'token')
    if (maxCost === undefined || !prices || priceOf(prices, tokens) < maxCost) return undefined
    return money(prices.currency, maxCost)
  }
  const over = (reached: string): Gap => ({
    ...{ why: 'over budget', detail: `the limit of ${reached} is reached`, temporary: false },
  })
  const askOne = async (group: readonly [PlannedCase, ...PlannedCase[]]): Promise<AskedCase[]> => {
    const [first] = group
    let asked: readonly AskedCase[] = group.map((each) => ({ ...each, answers: [] }))
    const add = async (annotation: Annotation, from: Answer['from']) => {
      asked = await withAnswer(plan, asked, annotation, from)
    }
    const end = (ended?: AskedCase['ended'], gap?: Gap) =>
      asked.map(({ answers, ...each }) => ({ ...answered(plan, each, answers, ended), ...(gap && { gap }) }))
    // Equal transcripts may have different rules, and so need different numbers of attempts.
    const isNeeded = () => asked.some((each) => needsAnotherAttempt(attemptResults(plan, each), limits))
    for (let attempt = 1; isNeeded(); attempt++) {
      const cached = lookUp(first, attempt)
      if (cached) {
        await add(cached, 'cached')
        continue
      }
      if (attempt > 1 && (isRunStopped || signal.aborted)) break
      if (isOutage) return end('outage', outage)
      if (maxFailures !== undefined && failures >= maxFailures) return end('enough failures', enough)
      const reached = limit()
      if (reached !== undefined) return end('over budget', over(reached))
      const result = await ask(first.body)
      if ('error' in result) {
        isRunStopped ||= stopsRun(result)
        if (result.error instanceof MalformedAnnotation) spend(result.error.tokens)
        return end(result)
      }
      spend(tokensOf(result.annotation.usage, estimatedTokens(first.body)))
      await store(first, attempt, result.annotation)
      await add(result.annotation, 'asked')
    }
    failures += asked.filter((each) => isFailed(attemptResults(plan, each), limits)).length
    return end()
  }
  const groups = grouped(open, ({ digest }) => digest).values()
  const until = () => isRunStopped || signal.aborted
  for await (const settled of mapConcurrent(groups, askOne, { concurrency, until })) {
    if (settled.status === 'rejected') throw settled.reason
    yield settled.value
  }
}

/** Transcripts of the same request with one more answer, which the functions of the policy judge for each of them. */
export async function withAnswer(
  { custom }: Pick<CheckPlan, 'custom'>,
  group: readonly AskedCase[],
  annotation: Annotation,
  from: Answer['from'],
): Promise<AskedCase[]> {
  const all: AskedCase[] = []
  for (const [at, each] of group.entries()) {
    const result = custom.size > 0 ? await runRules(custom, checkedTranscript(each), annotation) : nothingFound
    all.push({ ...each, answers: [...each.answers, { annotation, from: at === 0 ? from : 'same', custom: result }] })
  }
  return all
}

/** The reason of a run that annotated nothing, if it concerns all transcripts. */
function failureOf(asked: readonly AskedCase[], unlisted: CheckError | undefined): CheckAnswers['failure'] {
  const isAll = asked.every(({ answers, ended }) => answers.length === 0 && ended)
  const failures = asked.flatMap(({ ended }) => (typeof ended === 'object' && ended.step !== 'stopped' ? [ended] : []))
  const reason = failures.find(concernsRun)
  if (!reason || !isAll) return undefined
  return { error: reason.step === 'check_id' && unlisted ? unlisted : reason.error }
}

function costOf(asked: readonly AskedCase[], sent: number): Pick<CheckAnswers, 'requests' | 'usage' | 'saved'> {
  const { requests, usage, saved } = structuredClone(nothingAsked)
  requests.sent = sent
  for (const { answers } of asked) {
    if (answers[0]?.from === 'same') requests.same++
    for (const { annotation, from } of answers) {
      const used = usageOf(annotation)
      if (from === 'cached') requests.cached++
      if (from === 'asked')
        for (const name of ['tokens_in', 'tokens_out', 'latency_ms'] as const)
          usage[name] = sumOf(usage[name], used[name])
      else for (const name of ['tokens_in', 'tokens_out'] as const) saved[name] = sumOf(saved[name], used[name])
    }
  }
  return { requests, usage, saved }
}
