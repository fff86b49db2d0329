import type { AskOptions, Question } from '../ask.js'
import { areSameVersions, type Versions, versionsText } from '../versions.js'
import { type Cache, cacheKey } from './cache.js'

/** The circumstances of cached answers. */
export interface Memory {
  /** The base URL of the annotation surface. */
  baseUrl: string
  /** Lists the versions of the annotator again; undefined if the registry cannot tell. */
  relist(): Promise<Versions | undefined>
  /** Reports, once, that answers are not cached: a sentence without its full stop. */
  warn(text: string): void
}

/**
 * Looks for answers under the versions that the registry listed last, and keeps new ones under the versions that they carry.
 * If the registry does not list these, it is asked once more in the run; what still differs then is not kept. Without a
 * cache, or without listed versions, nothing is found or kept.
 */
export function cachedAnswers(
  cache: Cache | undefined,
  listed: Versions | undefined,
  { baseUrl, relist, warn }: Memory,
): Pick<AskOptions, 'lookUp' | 'store'> {
  if (!cache || !listed) return { lookUp: () => undefined, store: async () => {} }
  const known = [listed]
  const last = () => known.at(-1) ?? listed
  const isKnown = (versions: Versions) => known.some((each) => areSameVersions(each, versions))
  let relisting: Promise<void> | undefined
  let isSaid = false
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
      if (isSaid) return
      isSaid = true
      warn(
        `answers are of ${versionsText(annotation)}, and the registry lists ${versionsText(last())}: such answers are not cached`,
      )
    },
  }
}
