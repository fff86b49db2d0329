import { type Cache, type CheckPlan, estimatePlan, money } from '@svc/checks'
import { count } from '@svc/text'
import { type PlannedAnnotation, reportPlan } from '../../annotation-requests.js'
import type { Context } from '../../context.js'
import { writeLines } from '../../errors.js'
import { type ExitCode, exit } from '../../exit.js'
import { printJsonLine } from '../../output/index.js'
import { writeWarning } from '../../terminal.js'

/**
 * Says how many requests a check would make, and what could not be judged. The service is asked for no more than the versions
 * that the cache needs.
 */
export async function reportDryRun(
  context: Context,
  requests: readonly PlannedAnnotation[],
  plan: CheckPlan,
  { cache, allowEmpty }: { cache: Cache | undefined; allowEmpty: boolean | undefined },
): Promise<ExitCode> {
  const { io } = context
  const { annotator, cases, unread, selection, shard } = plan
  const { reads, least, most, cached, messages, tokens, cost, canPass } = await estimatePlan(plan, {
    ...{ cache, allowEmpty, client: context.client, call: context.call(), pause: io.checkpoint },
    onNote: (text) => writeWarning(io, text),
  })
  const details = unread.map(
    ({ path, at, why, detail }) => `${path}${at ? `:${at.line}:${at.column}` : ''} ${why}: ${detail}`,
  )
  if (unread.length > 0)
    writeLines(io, `${count(unread.length, 'transcript')} would not be judged.`, details, undefined)
  const some = least === most ? count(most, 'request') : `${least} to ${count(most, 'request')}`
  const rest = [
    ...(selection ? [`; ${selection.not_selected} not selected`] : []),
    ...(shard
      ? [`; shard ${shard.numbers.join(', ')} of ${shard.count}; ${count(shard.total ?? 0, 'transcript')} in all`]
      : []),
  ]
  const limit = cost?.max === undefined ? '' : `, of at most ${money(cost.currency, cost.max)}`
  const price = cost ? ` for ${money(cost.currency, cost.tokens_in)}${limit}` : ''
  const size = most > 0 ? ` (${count(messages, 'message')}, about ${count(tokens, 'token')} in${price})` : ''
  reportPlan(
    context,
    requests,
    `${some}${size} would be made for ${count(cases.length, 'transcript')} with ${annotator}${rest.join('')}`,
    reads,
  )
  if (context.flags.json) {
    printJsonLine(context, {
      schema: 'svc/check-plan@1',
      annotator,
      planned: cases.length,
      messages,
      requests: { least, most },
      ...(reads && { reads }),
      cached,
      tokens_in: tokens,
      ...(cost && { cost }),
      not_selected: selection?.not_selected ?? 0,
      unread: unread.length,
    })
  }
  io.signal.throwIfAborted()
  return canPass ? exit.ok : exit.notJudged
}
