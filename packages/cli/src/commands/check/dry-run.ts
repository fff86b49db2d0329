import {
  type AttemptLimits,
  type Cache,
  type Case,
  cachedAnswers,
  estimatedTokens,
  isEnoughJudged,
  lookUpAnnotator,
  money,
  needsAnotherAttempt,
  type Question,
  type ReportShard,
  resultsOf,
  type Selection,
  shardText,
  type Unread,
  unlistedText,
  type Vote,
  voteOf,
} from '@svc/checks'
import { count, grouped } from '@svc/text'
import { type PlannedAnnotation, reportPlan } from '../../annotation-requests.js'
import type { Context } from '../../context.js'
import { writeLines } from '../../errors.js'
import { type ExitCode, exit } from '../../exit.js'
import { printJsonLine } from '../../output/index.js'
import { writeWarning } from '../../terminal.js'
import type { Setup } from './setup.js'

/**
 * Says how many requests a check would make, and what could not be judged. The service is asked for no more than the versions
 * that the cache needs.
 */
export async function reportDryRun(
  context: Context,
  requests: readonly PlannedAnnotation[],
  {
    cases,
    unread,
    selection,
    shard,
  }: { cases: readonly Case[]; unread: readonly Unread[]; selection?: Selection; shard?: ReportShard },
  setup: Setup,
  cache: Cache | undefined,
): Promise<ExitCode> {
  const { annotator, policy } = setup
  const { least, most, cached, messages, tokens } = await countRequests(context, cases, setup, cache)
  const details = unread.map(
    ({ path, at, why, detail }) => `${path}${at ? `:${at.line}:${at.column}` : ''} ${why}: ${detail}`,
  )
  if (unread.length > 0)
    writeLines(context.io, `${count(unread.length, 'transcript')} would not be judged.`, details, undefined)
  const some = least === most ? count(most, 'request') : `${least} to ${count(most, 'request')}`
  const rest = `${selection ? `; ${selection.not_selected} not selected` : ''}${shard ? `; shard ${shardText(shard)}` : ''}`
  const { prices } = policy
  const cost = prices && { currency: prices.currency, tokens_in: (tokens * prices.in) / 1e6 }
  const price = cost ? ` for ${money(cost.currency, cost.tokens_in)}` : ''
  const size = most > 0 ? ` (${count(messages, 'message')}, about ${count(tokens, 'token')} in${price})` : ''
  reportPlan(
    context,
    requests,
    `${some}${size} would be made for ${count(cases.length, 'transcript')} with ${annotator}${rest}`,
  )
  if (context.flags.json) {
    printJsonLine(context, {
      schema: 'svc/check-plan@1',
      annotator,
      planned: cases.length,
      messages,
      requests: { least, most },
      cached,
      tokens_in: tokens,
      ...(cost && { cost }),
      not_selected: selection?.not_selected ?? 0,
      unread: unread.length,
    })
  }
  context.io.signal.throwIfAborted()
  const [judged, total] = [cases.length, cases.length + unread.length]
  const isEmpty = total === 0 && setup.delivery.allowEmpty === true
  return isEmpty || isEnoughJudged({ judged, total, shard }, policy.minJudged) ? exit.ok : exit.notJudged
}

async function countRequests(context: Context, cases: readonly Case[], setup: Setup, cache: Cache | undefined) {
  const { attempts, confirmOnFail } = setup
  const isAsked = cache !== undefined && !cache.wasEmpty
  const registry = isAsked ? await lookUpAnnotator(await context.client(), setup, context.call()) : { baseUrl: '' }
  const { versions: listed, unlisted, baseUrl } = registry
  if (unlisted) writeWarning(context.io, unlistedText(setup.annotator, unlisted))
  const { lookUp, noteDamaged } = cachedAnswers(cache, {
    listed,
    baseUrl,
    relist: async () => listed,
    warn: context.say,
  })
  const sums = { least: 0, most: 0, cached: 0, messages: 0, tokens: 0 }
  for (const [{ question }] of grouped(cases, ({ question }) => question.digest).values()) {
    await context.io.checkpoint()
    const votes = await cachedVotes(question, setup, lookUp)
    sums.cached += votes.length
    if (!needsAnotherAttempt(resultsOf(votes, question), setup)) continue
    const missing = attempts - votes.length
    sums.messages += question.body.transcript.length * missing
    sums.tokens += estimatedTokens(question.body) * missing
    sums.least += confirmOnFail ? 1 : missing
    sums.most += missing
  }
  noteDamaged()
  return sums
}

async function cachedVotes(
  question: Question,
  limits: AttemptLimits,
  lookUp: ReturnType<typeof cachedAnswers>['lookUp'],
): Promise<Vote[]> {
  const votes: Vote[] = []
  while (needsAnotherAttempt(resultsOf(votes, question), limits)) {
    const annotation = lookUp(question, votes.length + 1)
    if (!annotation) break
    votes.push(await voteOf([question], annotation, 'cached'))
  }
  return votes
}
