import { baseUrlsOf, ServiceError, systemClock } from '@svc/client'
import { type Question, stepOf } from '../ask/index.js'
import { checkedPlaces, dayOf, isDay, nextBaseline, pathFrom } from '../baseline/index.js'
import { CheckError } from '../check-error.js'
import { nodeFiles } from '../environment.js'
import { type Case, gateExits, notAnnotated, type RunEnd, reportCase, tagsOf } from '../judge/index.js'
import { foldersIn, rulesFor, unmatchedPatterns } from '../policy/index.js'
import type { CheckReport, ReportCase } from '../report/index.js'
import type { Unread } from '../transcript.js'
import { version } from '../version.js'
import { type Answers, askCases, createDeadline } from './ask-cases.js'
import { type BaselineUse, concludeCases, concludeEnd, judgeAnswers } from './conclude-cases.js'
import { readInput } from './input.js'
import { type CheckOptions, checkedOptions, settingsOf } from './options.js'
import { type Planned, planCases } from './plan.js'
import { type CheckResult, resultOf } from './result.js'
import { shardCases } from './shard.js'

/**
 * Check transcripts with an annotator and a policy. A transcript that fails, that cannot be annotated or that cannot be read
 * is a result and no error, and so is a service that cannot be reached. Reads and writes no file but the cache that it is
 * given, and nothing of the process or the terminal.
 *
 * @throws {CheckError} for options or a policy that cannot be used, before the first request
 *
 * @example
 * const { verdict, report } = await check({ client: createClient(), annotator: 'structural', transcripts })
 * console.log(report.line)
 */
export async function check(options: CheckOptions): Promise<CheckResult> {
  const given = checkedOptions(options)
  const settings = settingsOf(given)
  const { annotator, policy, limits, base, baselinePath } = settings
  const { baseline, withTurns = false, paths, clock = systemClock } = given
  const { requests, unread: allUnread, refused } = await readInput(given.transcripts, settings)
  const foldersOf = foldersIn(base)
  const today = dayOf(clock.now())
  const whole = await planCases(requests, {
    ...{ policy, custom: settings.custom, foldersOf, baseline, today, ...limits },
    rulesFor: rulesFor(policy, base),
    nameInBaseline: (path) => (baseline ? pathFrom(nodeFiles, baselinePath, path) : path),
  })
  const ofShard = settings.shard && shardCases(whole, allUnread, settings.shard, policy)
  const { planned, unread } = ofShard ?? { planned: whole, unread: allUnread }
  const view = { turns: withTurns }
  const open = planned.cases.filter(({ question }) => !refused.has(question.index))
  const reported = new Set<Question>()
  const answers = withRefused(await ask(open, given, settings, reported), planned, refused)
  const conclusion = (report: CheckReport, next?: CheckResult['nextBaseline']) => {
    for (const each of unreported(report, planned, unread, reported)) given.onCase?.(each)
    return resultOf(report, next)
  }
  const facts = {
    ...{ svc_versions: [version], annotator, policy, attempts: limits.attempts, confirm_on_fail: limits.confirmOnFail },
    ended_at: new Date(clock.now()).toISOString(),
    ...(given.commit && { commit: given.commit }),
    ...(ofShard && { shard: ofShard.shard }),
    service: addressOf(given.client) ?? (answers.baseUrl || null),
    paths: paths ? [...paths] : null,
    options: whole.cases[0]?.question.body.options ?? {},
    notes: answers.notes,
    left_out: [],
  }
  const tagsOfPath = (path: string) => tagsOf(policy.tags, foldersOf(path))
  if (answers.failure) {
    const known = { cases: planned.cases, unread, tagsOfPath }
    return conclusion(concludeEnd(endOf(answers.failure.error), known, { ...facts, requests: answers.requests }))
  }
  const roots = paths ?? requests.map(({ conversation }) => conversation.source.path)
  const places = checkedPlaces(nodeFiles, baselinePath, roots, () => false)
  const use = (isUpdate: boolean): BaselineUse => ({ path: baselinePath, before: baseline, isUpdate, places })
  const judgeWith = (inUse: BaselineUse | undefined) =>
    judgeAnswers(answers, {
      ...{ annotator, identities: planned.identities, baseline: inUse, view },
      isComplete: unread.length === 0,
    })
  const held = baseline && use(false)
  const judged = judgeWith(held)
  const report = concludeCases(judged, {
    ...{ ...facts, planned, answers, unread, tagsOfPath, baseline: held, today, redacted: {} },
    unmatchedPatterns: unmatchedPatterns(
      policy,
      base,
      whole.cases.map(({ conversation }) => conversation.source.path),
    ),
    gateExit: gateExits.failed,
    mustJudgeAll: settings.signal.aborted,
    mayBeEmpty: given.allowEmpty,
    stoppedBy: undefined,
  })
  return conclusion(report, (acceptance = {}) => {
    const { expires } = acceptance
    if (expires !== undefined && !isDay(expires))
      throw new CheckError('invalid_option', 'nextBaseline: expected expires to be a day such as 2026-12-31.')
    const { cases, found } = judgeWith(use(true))
    return found && nextBaseline(baseline, found, cases, { places, acceptance, today }).baseline
  })
}

function ask(
  cases: readonly Case[],
  { client, clock = systemClock, cache, baseline, onCase, withTurns = false }: CheckOptions,
  {
    annotator,
    annotatorPlace,
    policy,
    limits,
    verify,
    concurrency,
    baselinePath,
    signal,
  }: ReturnType<typeof settingsOf>,
  reported: Set<Question>,
): Promise<Answers> {
  return askCases(cases, {
    ...{ client, annotator, annotatorPlace, ...limits, verify, cache, concurrency, signal, clock },
    maxTokens: policy.maxTokens,
    maxFailures: policy.maxFailures,
    baseline: baseline && { path: baselinePath, baseline },
    deadline: createDeadline(policy.deadlineMs, {
      of: 'the policy',
      hint: `check again${cache ? ': finished annotations are in the cache' : ''}; or raise "deadline" in the policy`,
      monotonic: () => clock.monotonic?.() ?? clock.now(),
    }),
    onAnswered(answered) {
      for (const each of answered) {
        reported.add(each.question)
        onCase?.(reportCase(each, { turns: withTurns }))
      }
    },
  })
}

function withRefused(asked: Answers, { cases }: Planned, refused: ReadonlyMap<number, string>): Answers {
  if (refused.size === 0) return asked
  const byIndex = new Map(asked.cases.map((each) => [each.question.index, each]))
  const all = cases.map((each) => {
    const why = refused.get(each.question.index)
    return why === undefined ? (byIndex.get(each.question.index) ?? each) : { ...each, gap: notAnnotated(why) }
  })
  return { ...asked, cases: all }
}

/** The address of the service, also if nothing is asked; undefined for a client that is not of `createClient`. */
function addressOf(client: CheckOptions['client']): string | undefined {
  try {
    return baseUrlsOf(client).annotation
  } catch {
    return undefined
  }
}

/** The cases that nothing was asked about, and those of unread files. */
function unreported(
  { cases }: CheckReport,
  planned: Planned,
  unread: readonly Unread[],
  reported: ReadonlySet<Question>,
): ReportCase[] {
  const questions = planned.cases.map(({ question }) => question)
  const unreadAt = new Set(unread.map(({ after }, at) => after + at))
  return cases.filter((_, at) => {
    const question = unreadAt.has(at) ? undefined : questions.shift()
    return question === undefined || !reported.has(question)
  })
}

function endOf(error: unknown): RunEnd {
  const message = error instanceof Error ? error.message : String(error)
  const { details, hint } = error instanceof CheckError ? error : { details: [], hint: undefined }
  const kind = error instanceof ServiceError ? error.kind : error instanceof CheckError ? error.code : 'unexpected'
  const exit = stepOf(error) === 'try_later' ? gateExits.temporary : gateExits.notJudged
  return { kind, message, details: [...details], hint, exit }
}
