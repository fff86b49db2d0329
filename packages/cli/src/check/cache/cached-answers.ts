import type { AskOptions, Question } from '../ask.js'
import { areSameVersions, type Versions, versionsText } from '../versions.js'
import { type Cache, cacheKey } from './cache.js'

export interface CachedAnswersOptions {
  baseUrl: string
  /** Undefined if the registry cannot be read. */
  relist(): Promise<Versions | undefined>
  warn(text: string): void
}

/**
 * Look up answers under the versions that the registry listed last, and store answers under their own versions. For
 * unlisted versions the registry is read once more; if it still does not list them, the answers are not stored.
 */
export function cachedAnswers(
  cache: Cache | undefined,
  listed: Versions | undefined,
  { baseUrl, relist, warn }: CachedAnswersOptions,
): Pick<AskOptions, 'lookUp' | 'store'> {
  if (!cache || !listed) return { lookUp: () => undefined, store: async () => {} }
  const known = [listed]
  const last = () => known.at(-1) ?? listed
  const isKnown = (versions: Versions) => known.some((each) => areSameVersions(each, versions))
  let relisting: Promise<void> | undefined
  let isWarned = false
  const keyOf = ({ digest }: Question, attempt: number, { annotator_version, taxonomy_version }: Versions) =>
    cacheKey({ baseUrl, digest, attempt, annotator_version, taxonomy_version })

  async function listAgain(): Promise<void> {
    const versions = await relist().catch(() => undefined)
    if (versions) known.push(versions)
  }

  return {
    lookUp: (question, attempt) => cache.get(keyOf(question, attempt, last())),
    async store(question, attempt, annotation) {
      if (!isKnown(annotation)) {
        relisting ??= listAgain()
        await relisting
      }
      if (isKnown(annotation)) return cache.put(keyOf(question, attempt, annotation), annotation)
      if (isWarned) return
      isWarned = true
      warn(
        `answers are of ${versionsText(annotation)}, and the registry lists ${versionsText(last())}: such answers are not cached`,
      )
    },
  }
}
