import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'

/** What V8 has made of files, by their names. */
export type Compiled = ReadonlyMap<string, Uint8Array>

export const nothing: Compiled = new Map()

/** A disk loses whole sectors, so that a word of each tells whether one is missing. */
const sector = 512

/**
 * The bytes of a file of compiled code: a serialized Map, and a sum behind it. V8 believes what it is given, and would end
 * the process over code of which a part is missing.
 */
export function compiledBytes(compiled: Compiled): Uint8Array {
  const map = serialize(compiled)
  const sum = Buffer.alloc(4)
  sum.writeInt32LE(sumOf(map))
  return Buffer.concat([map, sum])
}

/** What such bytes hold; nothing where they are not whole. */
export function compiledIn(bytes: Buffer): Compiled {
  const end = bytes.length - 4
  if (end < 0 || sumOf(bytes.subarray(0, end)) !== bytes.readInt32LE(end)) return nothing
  try {
    const held: unknown = deserialize(bytes.subarray(0, end))
    return held instanceof Map ? (held as Compiled) : nothing
  } catch {
    return nothing
  }
}

function sumOf(bytes: Buffer): number {
  let sum = bytes.length
  for (let at = 0; at + 4 <= bytes.length; at += sector) sum = ((sum << 1) | (sum >>> 31)) ^ bytes.readInt32LE(at)
  return sum
}

/** What a file holds; nothing unless it is this user's own and nobody else may write it, for it is code that will be run. */
export function readCompiled(path: string, userId: number | undefined): Compiled {
  try {
    const file = openSync(path, 'r')
    try {
      const { uid, mode } = fstatSync(file)
      const isOurs = userId === undefined || (uid === userId && (mode & 0o022) === 0)
      return isOurs ? compiledIn(readFileSync(file)) : nothing
    } finally {
      closeSync(file)
    }
  } catch {
    return nothing
  }
}
