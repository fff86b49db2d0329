import {
  type Cache,
  type Case,
  estimateRequests,
  isEnoughJudged,
  money,
  type ReportShard,
  type Selection,
  shardText,
  type Unread,
} from '@svc/checks'
import { count } from '@svc/text'
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
  const { least, most, cached, messages, tokens } = await estimateRequests(cases, {
    ...{ ...setup, cache, client: context.client, call: context.call(), pause: context.io.checkpoint },
    warn: (text) => writeWarning(context.io, text),
    note: context.say,
  })
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
