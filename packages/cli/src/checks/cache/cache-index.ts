import { isUtf8 } from 'node:buffer'
import { type Damage, damageOfHeader, keyIn } from './cache-file.js'
import { linesOf, type Range } from './cache-lines.js'

/** Where the annotations of a cache stand: by key, the oldest first. Of several with one key it is the last. */
export type CacheIndex = Map<string, Range>

/** What stands in a file that should be a cache. */
export interface Indexed {
  index: CacheIndex
  /** Lines that are not what was written. */
  damaged: number
  /** The first of them: `path:line:column` and what is wrong there; nothing of the line itself. */
  firstDamage: string | undefined
  /** Whether the file begins as a cache does, or is empty. */
  isCache: boolean
}

/** Looks through every line of a cache, and passes over those that are damaged. */
export async function indexOf(fd: number, path: string): Promise<Indexed> {
  const found: Indexed = { index: new Map(), damaged: 0, firstDamage: undefined, isCache: true }
  let number = 0
  for (const { bytes, at, length } of linesOf(fd)) {
    number++
    const key = number === 1 ? damageOfHeader(bytes) : keyIn(bytes)
    if (typeof key === 'object') {
      found.damaged++
      found.firstDamage ??= await placeOfDamage(path, number, bytes, key)
      if (number > 1) continue
      found.isCache = false
      return found
    }
    if (key === undefined) continue
    found.index.delete(key)
    found.index.set(key, { at, length })
  }
  return found
}

async function placeOfDamage(path: string, number: number, line: Buffer, damage: Damage): Promise<string> {
  const { column, message } = number === 1 || line.length > longestLookedThrough ? damage : await nearer(line, damage)
  return `${path}:${number}:${column} ${message}`
}

/** A longer line is not looked through for the place, in bytes. */
const longestLookedThrough = 1 << 20

/** The first place at which a damaged line is no JSON, where there is one. */
async function nearer(line: Buffer, damage: Damage): Promise<Damage> {
  const text = line.toString()
  if (!isUtf8(line)) return { column: text.indexOf('\ufffd') + 1, message: 'expected UTF-8' }
  const { jsonProblem } = await import('@svc/transcripts')
  const { column, message } = jsonProblem(text) ?? {}
  return column && message ? { column, message: message.replace(/, found [\s\S]*$/, '') } : damage
}
