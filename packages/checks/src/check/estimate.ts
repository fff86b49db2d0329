import type { CallOptions } from '@svc/client'
import { grouped } from '@svc/text'
import { priceOf } from '../annotation.js'
import type { Cache } from '../cache.js'
import { isEnoughJudged } from '../report/index.js'
import { type AnnotatingClient, estimatedTokens } from './annotate.js'
import { withAnswer } from './ask.js'
import { needsAnotherAttempt } from './attempts.js'
import { cachedAnswers } from './cached-answers.js'
import { type AskedCase, attemptResults } from './case.js'
import type { CheckPlan } from './plan.js'
import { lookUpAnnotator, unlistedText } from './registry.js'

/** Options of `estimatePlan`. */
export interface EstimateOptions {
  /** Called only if the cache needs the versions of the annotator. */
  client(): Promise<AnnotatingClient>
  /** Options of the request for these versions. */
  call?: CallOptions | undefined
  /** Annotations of earlier runs, as `openCache` gives them. */
  cache?: Cache | undefined
  /** A run without transcripts passes. Default: false. */
  allowEmpty?: boolean | undefined
  /** Awaited between transcripts. */
  pause?: (() => Promise<void>) | undefined
  /** Called with each problem, a sentence each. */
  onNote?: ((text: string) => void) | undefined
}

/** The requests that a check would send. */
export interface PlanEstimate {
  /** The number of requests if no attempt needs to be confirmed. */
  least: number
  /** The largest number of requests. */
  most: number
  /** The requests by which stored transcripts were listed and read; absent for others. */
  reads?: { list: number; single: number }
  /** The number of answers that are in the cache. */
  cached: number
  /** The messages of all requests. */
  messages: number
  /** The tokens of all requests, by their length. */
  tokens: number
  /** The price of these tokens, and the limit of the policy; absent without prices in the policy. */
  cost?: { currency: string; tokens_in: number; max?: number }
  /** False if too many files cannot be read for the check to pass. */
  canPass: boolean
}

/** Count the requests of a plan that the cache does not save. Asks the service for no more than the annotator's versions. */
export async function estimatePlan(plan: CheckPlan, options: EstimateOptions): Promise<PlanEstimate> {
  const { cases, unread, shard, limits, policy, stored } = plan
  const { cache, allowEmpty = false, pause = async () => {}, onNote = () => {} } = options
  const isAsked = cache !== undefined && !cache.wasEmpty
  const registry = isAsked ? await lookUpAnnotator(await options.client(), plan, options.call ?? {}) : { baseUrl: '' }
  const { versions: listed, unlisted, baseUrl } = registry
  if (unlisted) onNote(unlistedText(plan.annotator, unlisted))
  const { lookUp, noteDamaged } = cachedAnswers(cache, { listed, baseUrl, relist: async () => listed, warn: onNote })
  const sums = { least: 0, most: 0, cached: 0, messages: 0, tokens: 0 }
  for (const [first] of grouped(cases, ({ digest }) => digest).values()) {
    await pause()
    let [asked]: AskedCase[] = [{ ...first, answers: [] }]
    const isNeeded = () => asked !== undefined && needsAnotherAttempt(attemptResults(plan, asked), limits)
    while (asked && isNeeded()) {
      const annotation = lookUp(first, asked.answers.length + 1)
      if (!annotation) break
      asked = (await withAnswer(plan, [asked], annotation, 'cached'))[0]
    }
    const { length } = asked?.answers ?? []
    sums.cached += length
    if (!isNeeded()) continue
    const missing = limits.attempts - length
    sums.messages += first.body.transcript.length * missing
    sums.tokens += estimatedTokens(first.body) * missing
    sums.least += limits.confirmOnFail ? 1 : missing
    sums.most += missing
  }
  noteDamaged()
  const [judged, total] = [cases.length, cases.length + unread.length]
  const { prices, maxCost, minJudged } = policy
  return {
    ...sums,
    ...(stored && { reads: { list: stored.requests, single: stored.ids.length } }),
    ...(prices && {
      cost: {
        currency: prices.currency,
        tokens_in: priceOf(prices, { in: sums.tokens, out: 0 }),
        ...(maxCost !== undefined && { max: maxCost }),
      },
    }),
    canPass: (allowEmpty && total === 0) || isEnoughJudged({ judged, total, shard }, minJudged),
  }
}
