import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, openSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { header } from './cache-file.js'
import { type CacheIndex, indexOf } from './cache-index.js'
import { bytesAt, type Range } from './cache-lines.js'
import { append, isAt } from './cache-writer.js'

/** What was left of a cache that was made smaller. */
export interface Compacted {
  entries: number
  bytes: number
  evicted: number
}

/**
 * Writes a cache anew, in at most so many bytes, beside its place, and then puts it there. What this run used stays
 * first, then what came last; damaged lines are dropped. Undefined where another process did it meanwhile.
 *
 * Without a lock: what others added while it was copied is copied after the change of place, and who adds to the old file
 * later than that sees that it is not the one at the path any more. Of two that change places in the same moment, answers that
 * came between may be lost; they are asked for again.
 */
export async function compact(
  path: string,
  maxBytes: number,
  isUsed: (key: string) => boolean,
): Promise<Compacted | undefined> {
  const place = realpathSync(path)
  const draft = join(dirname(place), `.${basename(place)}.${randomUUID()}`)
  const from = openSync(place, 'r')
  try {
    const { index } = await indexOf(from, path)
    const kept = keep(index, maxBytes - header.length - 1, isUsed)
    const to = openSync(draft, 'ax+', 0o600)
    try {
      append(to, Buffer.from(`${header}\n`))
      for (const range of kept) copyLine(from, to, range)
      if (!isAt(place, from)) return undefined
      renameSync(draft, place)
      for (const [key, range] of (await indexOf(from, path)).index)
        if (index.get(key)?.at !== range.at) copyLine(from, to, range)
      return { entries: kept.length, bytes: fstatSync(to).size, evicted: index.size - kept.length }
    } finally {
      closeSync(to)
    }
  } finally {
    closeSync(from)
    rmSync(draft, { force: true })
  }
}

/** The line break is written anew, since a last line may have come without. */
const copyLine = (from: number, to: number, range: Range): void =>
  append(to, Buffer.concat([bytesAt(from, range), Buffer.from('\n')]))

/** The lines to keep in so many bytes, in the order in which they are to be given up, the last one last. */
function keep(index: CacheIndex, room: number, isUsed: (key: string) => boolean): Range[] {
  const lines = [...index].map(([key, range]) => ({ range, isUsed: isUsed(key) }))
  const inOrder = [...lines.filter((line) => !line.isUsed), ...lines.filter((line) => line.isUsed)]
  let left = room
  const kept = inOrder.reverse().filter(({ range }) => {
    const fits = range.length < left
    if (fits) left -= range.length + 1
    return fits
  })
  return kept.reverse().map(({ range }) => range)
}
