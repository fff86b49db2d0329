import { type CallOptions, type ClientEvent, type Clock, createShutdown, type Shutdown } from '@svc/client'
import { count, grouped } from '@svc/text'
import {
  type AnnotatingClient,
  type Answer,
  type Answered,
  type AskOptions,
  type AttemptLimits,
  annotateWith,
  askAll,
  concernsRun,
  type Failure,
  type Listing,
  lookUpAnnotator,
  outageThreshold,
  type Question,
  stepOf,
  type Usage,
  unlistedText,
  usageOf,
  versionNotes,
} from '../ask/index.js'
import { type Baseline, notComparable } from '../baseline/index.js'
import { type Cache, cachedAnswers } from '../cache.js'
import { CheckError } from '../check-error.js'
import { type Case, notAnnotated } from '../judge/index.js'
import { sumOf } from '../report/index.js'

export interface Answers {
  cases: Case[]
  requests: { sent: number; cached: number; same: number }
  usage: Usage
  /** The tokens of answers that were not asked for again. */
  saved: Pick<Usage, 'tokens_in' | 'tokens_out'>
  /** Problems of the run, a sentence each. */
  notes: string[]
  unlisted?: CheckError | undefined
  /** The baseline is of another version or of other options, so nothing was sent. */
  refusal?: CheckError | undefined
  /** The reason why nothing could be annotated, if it concerns the whole run. */
  failure?: { error: unknown } | undefined
  /** The base URL of the service; empty if nothing was sent. */
  baseUrl: string
}

export const nothingAsked: Answers = {
  cases: [],
  requests: { sent: 0, cached: 0, same: 0 },
  usage: { tokens_in: 0, tokens_out: 0, latency_ms: 0 },
  saved: { tokens_in: 0, tokens_out: 0 },
  notes: [],
  baseUrl: '',
}

export interface AskSettings extends AttemptLimits {
  client: AnnotatingClient
  annotator: string
  /** The place in the policy that names the annotator. */
  annotatorPlace?: string | undefined
  maxTokens: number | undefined
  maxFailures: number | undefined
  concurrency: number
  cache: Cache | undefined
  /** The baseline that the transcripts are held to, and its path. */
  baseline: { path: string; baseline: Baseline } | undefined
  deadline: Deadline
  signal: AbortSignal
  clock?: Clock | undefined
  /** Rejects with the reason if code of the policy failed outside of a rule: then nothing is judged. */
  verify?: (() => Promise<void>) | undefined
  /** Called once the run is stopped, with the number of requests under way. */
  onStop?(underWay: number): void
  onStart?(): void | Promise<void>
  onAnswered?(cases: readonly Case[]): void | Promise<void>
  onNote?(text: string): void
}

/** Ask about every transcript that the cache has no answer to; about none where the baseline is not comparable. */
export async function askCases(cases: readonly Case[], settings: AskSettings): Promise<Answers> {
  const notes: string[] = []
  const warn = (text: string) => {
    notes.push(text)
    settings.onNote?.(text)
  }
  const none = (more: Partial<Answers>): Answers => ({ ...nothingAsked, cases: [...cases], notes, ...more })
  if (cases.length === 0) return nothingAsked
  const { client, cache, deadline, signal, baseline } = settings
  const call = () => ({ signal, ...deadline.call() })
  const registry = await listingOf(client, settings, deadline, call)
  if ('failure' in registry) return none(registry)
  const { versions, unlisted, unread, baseUrl } = registry
  if (unlisted) warn(unlistedText(settings.annotator, unlisted))
  else if (cache && !versions && !unread)
    warn('the cache is not used: the annotator registry cannot be read, so the annotator’s version is unknown')
  const { options } = cases[0]?.question.body ?? {}
  const refusal = baseline && notComparable(baseline.path, baseline.baseline, { versions, options })
  if (refusal) {
    const gap = { why: 'not comparable' as const, detail: refusal.details.join('; '), temporary: false }
    return none({ cases: cases.map((each) => ({ ...each, gap })), refusal, baseUrl })
  }
  if (unread) {
    const answeredBy = ({ question }: Case) => ({ questions: [question], votes: [], ended: unread })
    return none({ cases: cases.map((each) => ({ ...each, answered: answeredBy(each) })), baseUrl })
  }
  const relist = async () => (await lookUpAnnotator(client, settings, call())).versions
  const lookUps = cachedAnswers(cache, { listed: versions, baseUrl, relist, warn })
  await settings.onStart?.()
  const counter = createCounter()
  const answers = await answersTo(cases, settings, call, lookUps, counter).catch(policyFailure)
  const failure = answers instanceof CheckError ? answers : await settings.verify?.().catch(policyFailure)
  const sent = counter.sent()
  if (failure || answers instanceof CheckError)
    return none({ failure: { error: failure }, baseUrl, requests: { sent, cached: 0, same: 0 } })
  lookUps.noteDamaged()
  for (const note of versionNotes(
    [...answers.values()].flatMap(({ votes }) => votes.map(({ annotation }) => annotation)),
  ))
    warn(note)
  const asked = cases.map((each) => withGap({ ...each, answered: answers.get(each.question) }, settings))
  const cost = costOf(cases, answers, sent)
  if (settings.maxTokens !== undefined && sumOf(cost.usage.tokens_in, cost.usage.tokens_out) === null)
    warn('the service does not show the tokens of all answers: the limit of tokens counts an estimate of what was sent')
  return { cases: asked, ...cost, notes, unlisted, failure: failureOf(asked, unlisted), baseUrl }
}

/** The error of a policy whose code failed outside of a rule; any other is thrown. */
function policyFailure(error: unknown): CheckError {
  if (error instanceof CheckError && error.code === 'policy_failed') return error
  throw error
}

/** The annotator's entry in the registry. `unread`: it could not be read just now. */
async function listingOf(
  client: AnnotatingClient,
  settings: AskSettings,
  deadline: Deadline,
  call: () => CallOptions,
): Promise<(Listing & { unread?: Failure }) | { failure: { error: unknown } }> {
  try {
    return await lookUpAnnotator(client, settings, call())
  } catch (error) {
    const step = stepOf(error)
    if (step !== 'try_later') return { failure: { error } }
    return { unread: { error: deadline.passed() ?? error, step }, baseUrl: '' }
  }
}

async function answersTo(
  cases: readonly Case[],
  settings: AskSettings,
  call: () => CallOptions,
  lookUps: Pick<AskOptions, 'lookUp' | 'store'>,
  counter: ReturnType<typeof createCounter>,
): Promise<ReadonlyMap<Question, Answered>> {
  const { client, attempts, confirmOnFail, concurrency, maxTokens, maxFailures, signal, clock, onStop } = settings
  const shutdown = createShutdown({ signal, clock, ...(onStop && { onStop }) })
  const options: AskOptions = {
    ...{ attempts, confirmOnFail, concurrency, maxTokens, maxFailures, ...lookUps },
    ask: createAsk(client, settings, call, shutdown, counter),
    isStopped: () => signal.aborted,
  }
  const answers = new Map<Question, Answered>()
  const caseOf = new Map(cases.map((each) => [each.question, each]))
  try {
    for await (const answered of askAll([...caseOf.keys()], options)) {
      for (const question of answered.questions) answers.set(question, answered)
      await settings.onAnswered?.(
        answered.questions.flatMap((question) => {
          const each = caseOf.get(question)
          return each ? [withGap({ ...each, answered }, settings)] : []
        }),
      )
    }
  } finally {
    shutdown.end()
  }
  return answers
}

/** Ask within the deadline. Requests under way when the run is stopped get some time, because they are billed. */
function createAsk(
  client: AnnotatingClient,
  { signal, deadline }: AskSettings,
  call: () => CallOptions,
  shutdown: Shutdown,
  counter: ReturnType<typeof createCounter>,
): AskOptions['ask'] {
  const annotate = annotateWith(client)
  return async (body): Promise<Answer> => {
    if (signal.aborted) return { error: signal.reason, step: 'stopped' }
    const count = counter.ofCall()
    const answer = await shutdown.watch(({ options }) => {
      const onEvent = (event: ClientEvent) => {
        options.onEvent?.(event)
        count(event)
      }
      return annotate(body, () => ({ ...call(), ...options, onEvent }))
    })
    if (!('error' in answer)) return answer
    if (signal.aborted && answer.error === signal.reason) return { error: answer.error, step: 'stopped' }
    const late = answer.step === 'try_later' ? deadline.passed() : undefined
    return late ? { error: late, step: 'try_later' } : answer
  }
}

/** Counts the requests that can have reached the service: refused and repeated ones too. */
function createCounter() {
  let sent = 0
  return {
    sent: () => sent,
    ofCall() {
      let isUnderWay = false
      return (event: ClientEvent) => {
        if (event.method !== 'POST') return
        if (event.type === 'request') sent++
        else if (isUnderWay && 'sent' in event && event.sent === 'no') sent--
        if (event.type !== 'warning' && event.type !== 'wait') isUnderWay = event.type === 'request'
      }
    },
  }
}

/** The gap of a transcript that was not asked about, because none was any more. */
function withGap(each: Case, { maxTokens, maxFailures, concurrency }: AskSettings): Case {
  const ended = each.answered?.ended
  if (ended === 'outage')
    return { ...each, gap: notAnnotated(`not asked: ${outageThreshold(concurrency)} requests in a row failed`, true) }
  if (ended === 'enough failures')
    return { ...each, gap: notAnnotated(`not asked: ${count(maxFailures ?? 0, 'transcript')} failed`) }
  if (ended !== 'over budget') return each
  const detail = `the limit of ${count(maxTokens ?? 0, 'token')} is reached`
  return { ...each, gap: { why: 'over budget', detail, temporary: false } }
}

/** The reason of a run that annotated nothing, if it concerns all transcripts. */
function failureOf(cases: readonly Case[], unlisted: CheckError | undefined): Answers['failure'] {
  const reason = failuresOf(cases).find(({ ended }) => concernsRun(ended))?.ended
  const isAll = cases.every(({ answered }) => answered === undefined || (answered.votes.length === 0 && answered.ended))
  if (!reason || !isAll) return undefined
  return { error: reason.step === 'check_id' && unlisted ? unlisted : reason.error }
}

export const failuresOf = (cases: readonly Case[]): { case: Case; ended: Failure }[] =>
  cases.flatMap((each) => {
    const ended = each.answered?.ended
    return typeof ended === 'object' && ended.step !== 'stopped' ? [{ case: each, ended }] : []
  })

function costOf(
  cases: readonly Case[],
  answers: ReadonlyMap<Question, Answered>,
  sent: number,
): Pick<Answers, 'requests' | 'usage' | 'saved'> {
  const requests = { sent, cached: 0, same: 0 }
  const usage: Usage = { tokens_in: 0, tokens_out: 0, latency_ms: 0 }
  const saved: Answers['saved'] = { tokens_in: 0, tokens_out: 0 }
  for (const group of grouped(cases, ({ question }) => question.digest).values()) {
    const { votes = [] } = answers.get(group[0].question) ?? {}
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

export type Deadline = ReturnType<typeof createDeadline>

/** The most that a timer may be early, in milliseconds. */
const slackMs = 2

/** A deadline after so many milliseconds. `of`: what set it; `hint`: how to go on. */
export function createDeadline(
  ms: number | undefined,
  { of, hint, monotonic }: { of: string; hint: string; monotonic(): number },
) {
  const until = ms === undefined ? undefined : monotonic() + ms
  const left = () => (until === undefined ? undefined : until - monotonic())
  const passed = () =>
    (left() ?? Infinity) > slackMs
      ? undefined
      : new CheckError('deadline_passed', `The deadline of ${of} has passed.`, { hint })
  return {
    /** The error of a deadline that has passed. */
    passed,
    /** The options of a call. Throws the error of `passed`. */
    call(): Pick<CallOptions, 'deadlineMs'> {
      const late = passed()
      if (late) throw late
      const deadlineMs = left()
      return deadlineMs === undefined ? {} : { deadlineMs }
    },
  }
}
