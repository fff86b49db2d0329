import type { CallOptions } from '@svc/client'
import { grouped } from '@svc/text'
import {
  type AnnotatingClient,
  type AttemptLimits,
  estimatedTokens,
  lookUpAnnotator,
  needsAnotherAttempt,
  resultsOf,
  unlistedText,
  type Vote,
  voteOf,
} from '../ask/index.js'
import { type Cache, cachedAnswers } from '../cache.js'
import type { Case } from '../judge/index.js'

interface EstimateSettings extends AttemptLimits {
  annotator: string
  annotatorPlace?: string | undefined
  /** Asked for only if a cache needs the versions of the annotator. */
  client(): Promise<AnnotatingClient>
  call: CallOptions
  cache: Cache | undefined
  /** Awaited between transcripts. */
  pause(): Promise<void>
  warn(text: string): void
  note(text: string): void
}

/** How many requests a check would make, and what they would send. */
export interface RequestEstimate {
  least: number
  most: number
  cached: number
  messages: number
  tokens: number
}

/** Count the requests that answers of the cache do not save. The service is asked for no more than the annotator's versions. */
export async function estimateRequests(cases: readonly Case[], settings: EstimateSettings): Promise<RequestEstimate> {
  const { attempts, confirmOnFail, cache, pause, warn, note } = settings
  const isAsked = cache !== undefined && !cache.wasEmpty
  const registry = isAsked ? await lookUpAnnotator(await settings.client(), settings, settings.call) : { baseUrl: '' }
  const { versions: listed, unlisted, baseUrl } = registry
  if (unlisted) warn(unlistedText(settings.annotator, unlisted))
  const { lookUp, noteDamaged } = cachedAnswers(cache, { listed, baseUrl, relist: async () => listed, warn: note })
  const sums = { least: 0, most: 0, cached: 0, messages: 0, tokens: 0 }
  for (const [{ question }] of grouped(cases, ({ question }) => question.digest).values()) {
    await pause()
    const votes: Vote[] = []
    while (needsAnotherAttempt(resultsOf(votes, question), settings)) {
      const annotation = lookUp(question, votes.length + 1)
      if (!annotation) break
      votes.push(await voteOf([question], annotation, 'cached'))
    }
    sums.cached += votes.length
    if (!needsAnotherAttempt(resultsOf(votes, question), settings)) continue
    const missing = attempts - votes.length
    sums.messages += question.body.transcript.length * missing
    sums.tokens += estimatedTokens(question.body) * missing
    sums.least += confirmOnFail ? 1 : missing
    sums.most += missing
  }
  noteDamaged()
  return sums
}
