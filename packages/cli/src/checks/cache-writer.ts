import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'
import { header } from './cache-file.js'
import { bytesAt } from './cache-lines.js'

/** Adds lines to a file that other processes add lines to, too. */
export interface LineWriter {
  /** Writes a line before it returns; throws where it cannot be written, and leaves no part of it then. */
  add(line: string): void
  close(): void
}

/**
 * Each line is one write to the end of the file, which the system does not mix with another. It is not synced: a line
 * outlives its process, and what is lost with the machine is asked for again, while a sync would take longer than all the
 * rest. Where another process has put a smaller file in the place of the one that was written to, the line goes there,
 * too. The file is made for this user alone.
 */
export function createWriter(path: string): LineWriter {
  let fd: number | undefined
  const close = () => {
    if (fd !== undefined) closeSync(fd)
    fd = undefined
  }
  return {
    add(line) {
      for (let tries = 0; tries < 3; tries++) {
        fd ??= openSync(path, 'a+', 0o600)
        append(fd, Buffer.from(fstatSync(fd).size === 0 ? `${header}\n${line}\n` : `${line}\n`))
        if (isAt(path, fd)) return
        close()
      }
    },
    close,
  }
}

/** Whether an open file is still the one at its path. */
export const isAt = (path: string, fd: number): boolean =>
  statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino

/**
 * Adds bytes to an open file in one write, or throws; what was written in part is taken back, since half a line with
 * others behind it would make the file unreadable.
 */
export function append(fd: number, bytes: Buffer): void {
  const written = writeSync(fd, bytes)
  if (written === bytes.length) return
  const at = fstatSync(fd).size - written
  if (bytesAt(fd, { at, length: written }).equals(bytes.subarray(0, written))) ftruncateSync(fd, at)
  throw Object.assign(new Error('A line was written in part.'), { code: 'ENOSPC' })
}
