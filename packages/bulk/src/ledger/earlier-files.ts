import { type Identity, withPart } from './identity.js'
import { groupIn } from './unidentified.js'

/** The key of another upload of the same transcript. `by`: because of equal content, or of the same record. */
export interface SameUpload {
  key: string
  by: 'key' | 'source'
}

/**
 * The uploads of files that are no longer in the input as they were: edited, or removed. An upload with the content or the
 * record of one of them is taken for the same, each for one. Files that are in the input keep their uploads, so that a copy
 * of a transcript in another file is stored, too. `files`: the ids of the files of the input.
 */
export function createEarlierFiles(files: ReadonlySet<string> | undefined) {
  const byContent = new Map<string, Set<string>>()
  const bySource = new Map<string, Set<string>>()
  const taken = new Set<string>()
  const takenFor = new Map<string, SameUpload>()

  const freeIn = (keys: ReadonlySet<string> | undefined, isWanted: (key: string) => boolean) =>
    [...(keys ?? [])].find((key) => !taken.has(key) && isWanted(key))

  return {
    add({ key, content, source, part, file = '' }: Identity): void {
      if (!files || files.has(file)) return
      groupIn(byContent, withPart(content, part)).add(key)
      if (source !== undefined) groupIn(bySource, withPart(source, part)).add(key)
    },

    /** The upload that is the same as another one, if it `isWanted`. */
    take({ key: own, content, source, part }: Identity, isWanted: (key: string) => boolean): SameUpload | undefined {
      const before = takenFor.get(own)
      if (before && isWanted(before.key)) return before
      const sameContent = freeIn(byContent.get(withPart(content, part)), isWanted)
      const sameSource = source === undefined ? undefined : bySource.get(withPart(source, part))
      const key = sameContent ?? freeIn(sameSource, isWanted)
      if (key === undefined) return undefined
      const same: SameUpload = { key, by: sameContent === undefined ? 'source' : 'key' }
      taken.add(key)
      takenFor.set(own, same)
      return same
    },
  }
}
