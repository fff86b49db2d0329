import { damagedLine } from './cache-failure.js'
import { damageOfHeader, keyIn } from './cache-file.js'
import { linesOf, type Range } from './cache-lines.js'

/** Where the annotations of a cache stand: by key, the oldest first. Of several with one key it is the last. */
export type CacheIndex = Map<string, Range>

/** Looks through every line of a cache. Rejects with a CliError that has the place where one is not what was written. */
export async function indexOf(fd: number, path: string): Promise<CacheIndex> {
  const index: CacheIndex = new Map()
  let number = 0
  for (const { bytes, at, length } of linesOf(fd)) {
    number++
    const key = number === 1 ? damageOfHeader(bytes) : keyIn(bytes)
    if (typeof key === 'object') throw await damagedLine(path, number, bytes, key)
    if (key === undefined) continue
    index.delete(key)
    index.set(key, { at, length })
  }
  return index
}
