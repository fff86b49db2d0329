import { fstatSync } from 'node:fs'
import { damagedLine } from './cache-failure.js'
import { damageOfHeader, keyIn, longestLine } from './cache-file.js'
import { bytesAt, linesFrom, type Range } from './cache-lines.js'

/** Where the annotations of a cache stand: by key, the oldest first. Of several with one key it is the last. */
export type CacheIndex = Map<string, Range>

/**
 * How often a line that has no end yet is looked at again: another process may be writing it just now, which takes far
 * less than that, while a line that was cut off never ends.
 */
const patience = 20_000

/**
 * Looks through all lines of a cache; gives where the last one ends, too, in bytes. Throws a CliError with the place
 * where a line is not what was written.
 */
export async function indexOf(fd: number, path: string): Promise<{ index: CacheIndex; end: number }> {
  const index: CacheIndex = new Map()
  let end = 0
  let number = 0
  let looks = 0
  for (;;) {
    const before = end
    for (const { bytes, at, length } of linesFrom(fd, end)) {
      number++
      end = at + length + 1
      const key = number === 1 ? damageOfHeader(bytes) : keyIn(bytes)
      if (typeof key === 'object') throw await damagedLine(path, number, bytes, key)
      if (key === undefined) continue
      index.delete(key)
      index.set(key, { at, length })
    }
    const { size } = fstatSync(fd)
    if (size <= end) return { index, end }
    looks = end > before ? 0 : looks + 1
    if (looks > patience || size - end > longestLine) throw await cutOff(fd, path, number + 1, end)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function cutOff(fd: number, path: string, number: number, at: number): Promise<Error> {
  const rest = bytesAt(fd, { at, length: longestLine })
  const end = { column: rest.toString().length + 1, message: 'expected the end of the line' }
  return damagedLine(path, number, rest, (number === 1 && damageOfHeader(rest)) || end)
}
