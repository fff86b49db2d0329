import type { Annotation } from '@svc/client'
import { firstNames } from '@svc/text'
import { areSameVersions, type Versions, versionsText } from '../annotation.js'
import { type Cache, cacheKey } from '../cache.js'
import type { PlannedCase } from './case.js'

interface CachedAnswersOptions {
  listed: Versions | undefined
  baseUrl: string
  /** Undefined if the registry cannot be read. */
  relist(): Promise<Versions | undefined>
  warn(text: string): void
}

export interface CachedAnswers {
  /** The cached answer of an attempt, from 1. */
  lookUp(of: PlannedCase, attempt: number): Annotation | undefined
  store(of: PlannedCase, attempt: number, annotation: Annotation): Promise<void>
  /** Warn of the damaged files that were looked up. */
  noteDamaged(): void
}

/**
 * Look up answers under the versions that the registry listed last, and store answers under their own versions. For
 * unlisted versions the registry is read once more; if it still does not list them, the answers are not stored.
 */
export function cachedAnswers(
  cache: Cache | undefined,
  { listed, baseUrl, relist, warn }: CachedAnswersOptions,
): CachedAnswers {
  if (!cache || !listed) return { lookUp: () => undefined, store: async () => {}, noteDamaged: () => {} }
  const damaged = new Set<string>()
  const listings = [listed]
  const last = () => listings.at(-1) ?? listed
  const isKnown = (versions: Versions) => listings.some((each) => areSameVersions(each, versions))
  let relisting: Promise<void> | undefined
  let isWarned = false
  const keyOf = ({ digest }: PlannedCase, attempt: number, { annotator_version, taxonomy_version }: Versions) =>
    cacheKey({ baseUrl, digest, attempt, annotator_version, taxonomy_version })

  async function listAgain(): Promise<void> {
    const versions = await relist().catch(() => undefined)
    if (versions) listings.push(versions)
  }

  return {
    lookUp(of, attempt) {
      if (of.isControl) return undefined
      const key = keyOf(of, attempt, last())
      const entry = cache.get(key)
      if (entry !== 'damaged') return entry
      damaged.add(`${key}.json`)
      return undefined
    },
    noteDamaged() {
      if (damaged.size === 0) return
      const files = damaged.size === 1 ? '1 file of the cache is' : `${damaged.size} files of the cache are`
      warn(`${files} damaged, and not used: ${firstNames([...damaged])}`)
    },
    async store(of, attempt, annotation) {
      // A later run finds the answer that the report has.
      if (of.isControl) return
      if (!isKnown(annotation)) {
        relisting ??= listAgain()
        await relisting
      }
      if (isKnown(annotation)) {
        const problem = cache.put(keyOf(of, attempt, annotation), annotation)
        if (problem !== undefined) warn(problem)
        return
      }
      if (isWarned) return
      isWarned = true
      warn(
        `answers are of ${versionsText(annotation)}, and the registry lists ${versionsText(last())}: such answers are not cached`,
      )
    },
  }
}
