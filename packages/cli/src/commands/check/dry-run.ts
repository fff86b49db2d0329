import {
  type AttemptResult,
  type Cache,
  type Case,
  cachedAnswers,
  isEnoughJudged,
  lookUpAnnotator,
  money,
  needsAnotherAttempt,
  unlistedText,
} from '@svc/checks'
import { count, grouped } from '@svc/text'
import { estimatedTokens, reportPlan } from '../../annotate/index.js'
import type { Context } from '../../context.js'
import { writeLines } from '../../errors/index.js'
import { type ExitCode, exit } from '../../exit.js'
import { printJsonLine } from '../../output/index.js'
import { writeWarning } from '../../terminal/index.js'
import type { Run } from './finish.js'
import type { Setup } from './setup.js'

/**
 * Says how many requests a check would make, and what could not be judged. The service is asked for no more than the versions
 * that the cache needs.
 */
export async function reportDryRun(
  context: Context,
  cases: readonly Case[],
  { unread, selection }: Pick<Run, 'unread' | 'selection'>,
  setup: Setup,
  cache: Cache | undefined,
): Promise<ExitCode> {
  const { annotator, attempts, confirmOnFail } = setup
  const isAsked = cache !== undefined && !cache.wasEmpty
  const { versions: listed, unlisted } = isAsked
    ? await lookUpAnnotator(await context.client(), setup, context.call)
    : {}
  if (unlisted) writeWarning(context.io, unlistedText(annotator, unlisted))
  const baseUrl = (listed && (await context.settings()).baseUrl?.value) ?? ''
  const { lookUp } = cachedAnswers(cache, listed, { baseUrl, relist: async () => listed, warn: context.say })
  let [least, most, cached, messages, tokens] = [0, 0, 0, 0, 0]
  for (const [first] of grouped(cases, ({ question }) => question.digest).values()) {
    await context.io.checkpoint()
    const { question } = first as Case
    const results: AttemptResult[] = []
    for (
      let known = lookUp(question, 1);
      known && needsAnotherAttempt(results, setup);
      known = lookUp(question, results.length + 1)
    )
      results.push(question.resultOf(known))
    cached += results.length
    if (!needsAnotherAttempt(results, setup)) continue
    messages += question.body.transcript.length * (attempts - results.length)
    tokens += estimatedTokens(question.body) * (attempts - results.length)
    least += confirmOnFail ? 1 : attempts - results.length
    most += attempts - results.length
  }
  const some = least === most ? count(most, 'request') : `${least} to ${count(most, 'request')}`
  const details = unread.map(
    ({ path, at, why, detail }) => `${path}${at ? `:${at.line}:${at.column}` : ''} ${why}: ${detail}`,
  )
  if (unread.length > 0)
    writeLines(context.io, `${count(unread.length, 'transcript')} would not be judged.`, details, undefined)
  const rest = selection ? `; ${selection.not_selected} not selected` : ''
  const { prices } = setup.policy
  const cost = prices && { currency: prices.currency, tokens_in: (tokens * prices.in) / 1e6 }
  const price = cost ? ` for ${money(cost.currency, cost.tokens_in)}` : ''
  const size = most > 0 ? ` (${count(messages, 'message')}, about ${count(tokens, 'token')} in${price})` : ''
  const plan = `${some}${size} would be made for ${count(cases.length, 'transcript')} with ${annotator}${rest}`
  reportPlan(context, cases, plan)
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
  return isEnoughJudged({ judged, total }, setup.policy.minJudged) ? exit.ok : exit.notJudged
}
