import { tellPlan } from '../../annotating.js'
import type { Cache } from '../../checks/cache/cache.js'
import { recallFrom } from '../../checks/cache/recall.js'
import type { Case } from '../../checks/cases.js'
import { listedVersions } from '../../checks/registry.js'
import { asksAgain, type Said } from '../../checks/votes.js'
import type { Context } from '../../context.js'
import { grouped } from '../../grouped.js'
import { count } from '../../text.js'
import { memoryOf } from './memory.js'
import type { Setup } from './setup.js'

/** Says how many requests a check would make. The service is asked for no more than the versions that the cache needs. */
export async function tellDryRun(
  context: Context,
  cases: readonly Case[],
  setup: Setup,
  cache: Cache | undefined,
): Promise<void> {
  const { annotator, attempts, confirmOnFail } = setup
  const isAsked = cache !== undefined && !cache.wasEmpty
  const listed = isAsked ? await listedVersions(await context.client(), setup, context.call) : undefined
  const { recall } =
    isAsked && listed
      ? await memoryOf(context, cache, listed, { relist: nothingNew, say: context.say })
      : recallFrom(undefined)
  let [least, most] = [0, 0]
  for (const [first] of grouped(cases, ({ question }) => question.digest).values()) {
    const { question } = first as Case
    const said: Said[] = []
    for (let known = recall(question, 1); known && asksAgain(said, setup); known = recall(question, said.length + 1))
      said.push({ outcome: known.outcome, isAgainst: question.isAgainst(known) })
    if (!asksAgain(said, setup)) continue
    least += confirmOnFail ? 1 : attempts - said.length
    most += attempts - said.length
  }
  const some = least === most ? count(most, 'request') : `${least} to ${count(most, 'request')}`
  const planned = cases.map(({ conversation, question }) => ({ ...question, conversation }))
  tellPlan(context, planned, `${some} would be made for ${count(cases.length, 'transcript')} with ${annotator}`)
}

const nothingNew = async () => undefined
