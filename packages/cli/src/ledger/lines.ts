import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** A whole line of a file, its number from 1, and where the next one begins, in bytes. */
export interface Line {
  text: string
  number: number
  end: number
}

/** The whole lines that a file has when it is opened: what stands behind the last line break is none. */
export function* wholeLines(path: string, chunkBytes = 1 << 20): Generator<Line, void, undefined> {
  const fd = openSync(path, 'r')
  try {
    let buffer = Buffer.allocUnsafe(chunkBytes)
    let held = 0
    let end = 0
    let number = 0
    let { size: left } = fstatSync(fd)
    while (left > 0) {
      if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
      const read = readSync(fd, buffer, held, Math.min(left, buffer.length - held), null)
      if (read === 0) return
      left -= read
      const filled = held + read
      let from = 0
      for (let to = buffer.indexOf(10, held); to !== -1 && to < filled; to = buffer.indexOf(10, from)) {
        end += to + 1 - from
        yield { text: buffer.toString('utf8', from, to), number: ++number, end }
        from = to + 1
      }
      buffer.copyWithin(0, from, filled)
      held = filled - from
    }
  } finally {
    closeSync(fd)
  }
}

/** Where the whole lines of a file end, in bytes. */
export function endOfLines(fd: number, size: number, chunkBytes = 1 << 16): number {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - chunkBytes)
    const at = chunk.subarray(0, readSync(fd, chunk, 0, to - from, from)).lastIndexOf(10)
    if (at !== -1) return from + at + 1
    to = from
  }
  return 0
}
