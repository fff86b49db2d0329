import type { Intent } from './events.js'
import { type Identity, withPart } from './identity.js'
import { groupIn } from './unidentified.js'

/**
 * The key of another upload of the same transcript. `by`: because of equal content, of the same record, or of either in a
 * file that is no longer in the input.
 */
export interface SameUpload {
  key: string
  by: 'key' | 'source' | 'removed_file'
}

/**
 * The uploads of files that are no longer in the input as they were: edited, or removed. An upload with the content or the
 * record of one of them is taken for the same, each for one. Files that are in the input keep their uploads, so that a copy
 * of a transcript in another file is stored, too. `files`: the ids of the files of the input.
 *
 * A file at the same path is the edited one. For one at another path, a shard cannot know whether a second file claims the
 * upload in another shard, so the result says `removed_file`.
 */
export function createEarlierFiles(files: ReadonlySet<string> | undefined) {
  const byContent = new Map<string, Set<string>>()
  const bySource = new Map<string, Set<string>>()
  const paths = new Map<string, string>()
  /** True once an upload was counted in its file, and in all of the input. */
  const splits = { byFile: false, byContent: false }
  const taken = new Set<string>()
  const takenFor = new Map<string, SameUpload>()

  const freeIn = (keys: ReadonlySet<string> | undefined, isWanted: (key: string) => boolean) =>
    [...(keys ?? [])].filter((key) => !taken.has(key) && isWanted(key))

  return {
    /** Note how an upload was split into shards: those that were counted in their file have its id. */
    noteSplit({ file }: { file?: string | undefined }): void {
      splits[file === undefined ? 'byContent' : 'byFile'] = true
    },

    /** True if earlier uploads were split in another way than these are. */
    isSplitOtherwise: (): boolean => (files ? splits.byContent : splits.byFile),

    add({ key, content, source, part, file = '', path }: Intent): void {
      if (!files || files.has(file)) return
      paths.set(key, path)
      groupIn(byContent, withPart(content, part)).add(key)
      if (source !== undefined) groupIn(bySource, withPart(source, part)).add(key)
    },

    /** The upload that is the same as another one, if it `isWanted`. `path`: of the file that has it now. */
    take(
      { key: own, content, source, part }: Identity,
      path: string | undefined,
      isWanted: (key: string) => boolean,
    ): SameUpload | undefined {
      const before = takenFor.get(own)
      if (before && isWanted(before.key)) return before
      const sameContent = freeIn(byContent.get(withPart(content, part)), isWanted)
      const sameSource = source === undefined ? [] : freeIn(bySource.get(withPart(source, part)), isWanted)
      const free = [...sameContent, ...sameSource]
      const key = free.find((each) => paths.get(each) === path) ?? free[0]
      if (key === undefined) return undefined
      const isEdited = paths.get(key) === path
      const same: SameUpload = { key, by: !isEdited ? 'removed_file' : sameContent.includes(key) ? 'key' : 'source' }
      taken.add(key)
      takenFor.set(own, same)
      return same
    },
  }
}
