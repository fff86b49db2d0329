import { readSync } from 'node:fs'
import { longestLine } from './cache-file.js'

/** Where a line stands in its file, in bytes, without its line break. */
export interface Range {
  at: number
  length: number
}

/** A whole line of a file. Its bytes are good until the next line is asked for. */
export interface Line extends Range {
  bytes: Buffer
}

/** The whole lines from an offset on; what stands behind the last line break, or is longer than any line may be, is none. */
export function* linesFrom(fd: number, offset: number, chunkBytes = 1 << 20): Generator<Line, void, undefined> {
  let buffer = Buffer.allocUnsafe(chunkBytes)
  let start = offset
  let held = 0
  while (held <= longestLine) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length)
    const read = readSync(fd, buffer, held, buffer.length - held, start + held)
    if (read === 0) return
    const filled = held + read
    let from = 0
    let to = buffer.subarray(0, filled).indexOf(10, held)
    for (; to !== -1; to = buffer.subarray(0, filled).indexOf(10, from)) {
      yield { bytes: buffer.subarray(from, to), at: start + from, length: to - from }
      from = to + 1
    }
    buffer.copyWithin(0, from, filled)
    start += from
    held = filled - from
  }
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
