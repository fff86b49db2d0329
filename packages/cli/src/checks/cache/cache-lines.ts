import { readSync } from 'node:fs'
import { longestLine } from './cache-file.js'

/** Where a line stands in its file, in bytes, without its line break. */
export interface Range {
  at: number
  length: number
}

/** A line of a file. Its bytes are good until the next line is asked for. */
export interface Line extends Range {
  bytes: Buffer
}

/** The lines of a file; of one that is longer than any line may be, only the beginning. */
export function* linesOf(fd: number, chunkBytes = 1 << 20): Generator<Line, void, undefined> {
  let buffer = Buffer.allocUnsafe(chunkBytes)
  let start = 0
  let held = 0
  let isSkipping = false
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length)
    const read = readSync(fd, buffer, held, buffer.length - held, start + held)
    if (read === 0) break
    const filled = buffer.subarray(0, held + read)
    let from = 0
    for (let to = filled.indexOf(10, held); to !== -1; to = filled.indexOf(10, from)) {
      if (!isSkipping) yield { bytes: filled.subarray(from, to), at: start + from, length: to - from }
      isSkipping = false
      from = to + 1
    }
    filled.copy(buffer, 0, from)
    start += from
    held = filled.length - from
    if (held <= longestLine && !isSkipping) continue
    if (!isSkipping) yield { bytes: buffer.subarray(0, held), at: start, length: held }
    isSkipping = true
    start += held
    held = 0
  }
  if (held > 0) yield { bytes: buffer.subarray(0, held), at: start, length: held }
}

/** So many bytes of a file, or all that it has from there on. */
export function bytesAt(fd: number, { at, length }: Range): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const more = readSync(fd, bytes, read, length - read, at + read)
    if (more === 0) break
    read += more
  }
  return bytes.subarray(0, read)
}
