import type { Annotation } from '@svc/client'
import type { Question, Way } from '../asking.js'
import type { Versions } from '../versions.js'
import type { Cache } from './cache.js'
import { cacheKey } from './cache-key.js'
import type { KnownVersions } from './cache-versions.js'

/** What answers were made by, and where they are kept. */
export interface Memory {
  cache: Cache
  versions: KnownVersions
  /** The base URL of the annotation surface. */
  baseUrl: string
}

/** Looks for answers in the cache, and keeps new ones under the versions that they carry; without a cache, neither. */
export function recallFrom(memory: Memory | undefined): Pick<Way, 'recall' | 'keep'> {
  if (!memory) return { recall: () => undefined, keep: async () => {} }
  const { cache, versions, baseUrl } = memory
  const keyOf = ({ digest }: Question, attempt: number, { annotator_version, taxonomy_version }: Versions) =>
    cacheKey({ baseUrl, digest, attempt, annotator_version, taxonomy_version })
  return {
    recall(question, attempt) {
      const kept = cache.get(keyOf(question, attempt, versions.at()))
      // A cache of an earlier version may hold an answer of another annotator.
      return kept?.annotator === question.body.annotator ? kept : undefined
    },
    async keep(question, attempt, annotation: Annotation) {
      if (await versions.admit(annotation)) await cache.put(keyOf(question, attempt, annotation), annotation)
    },
  }
}
