import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'
import { draftMark, header } from './cache-file.js'
import { bytesAt } from './cache-lines.js'

/** Adds lines to a file that other processes add lines to, too. */
export interface LineWriter {
  /** Writes a line before it returns; throws where it cannot be written, and the file has no such line then. */
  add(line: string): void
  close(): void
}

/**
 * A line is one write to the end of the file, which the system does not mix with another. But a process that is killed, or
 * a full disk, can cut it off; so it begins as a draft, and its first byte is written when all of it is there. Whoever
 * reads meanwhile finds no line. Nothing is synced: a line outlives its process, and what is lost with the machine is
 * asked for again, while a sync would take longer than all the rest.
 *
 * Where another process has put a smaller file in the place of the one that was written to, the line goes there, too. The
 * file is made for this user alone.
 */
export function createWriter(path: string): LineWriter {
  let open: { end: number; any: number } | undefined
  const close = () => {
    if (open) for (const fd of [open.end, open.any]) closeSync(fd)
    open = undefined
  }
  return {
    add(line) {
      for (let tries = 0; tries < 3; tries++) {
        open ??= openBoth(path)
        // So short a text at the beginning of a file is written whole, or not at all.
        if (fstatSync(open.end).size === 0) writeSync(open.end, `${header}\n`)
        addLine(open.end, open.any, line)
        if (isAt(path, open.end)) return
        close()
      }
    },
    close,
  }
}

/** The same file twice: what is open for adding at the end writes nowhere else. */
function openBoth(path: string): { end: number; any: number } {
  const end = openSync(path, 'a+', 0o600)
  try {
    return { end, any: openSync(path, 'r+') }
  } catch (error) {
    closeSync(end)
    throw error
  }
}

/** Whether an open file is still the one at its path. */
export const isAt = (path: string, fd: number): boolean =>
  statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino

function addLine(end: number, any: number, line: string): void {
  const draft = Buffer.from(`${draftMark}${line.slice(1)}\n`)
  const { size } = fstatSync(end)
  const isCut = bytesAt(end, { at: size - 1, length: 1 })[0] !== 10
  append(end, isCut ? Buffer.concat([Buffer.from('\n'), draft]) : draft)
  writeSync(any, line.slice(0, 1), placeOf(end, draft))
}

/** Adds bytes to an open file in one write; throws where only a part of them could be written. */
export function append(fd: number, bytes: Buffer): void {
  if (writeSync(fd, bytes) === bytes.length) return
  throw Object.assign(new Error('The disk took a part only.'), { code: 'ENOSPC' })
}

/** Where a draft came to stand: at the end, but for what others have added since. */
function placeOf(fd: number, draft: Buffer): number {
  const { size } = fstatSync(fd)
  for (const more of [0, 1 << 20, 1 << 26]) {
    const at = Math.max(0, size - draft.length - more)
    const found = bytesAt(fd, { at, length: size - at }).lastIndexOf(draft)
    if (found !== -1) return at + found
  }
  throw Object.assign(new Error('A line that was written is not there.'), { code: 'EIO' })
}
