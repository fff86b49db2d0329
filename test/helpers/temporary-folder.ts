import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives the tests and their processes a temporary folder, which is removed after them. */
export default function setup(): () => void {
  const before = process.env.TMPDIR
  // Each of the projects calls it.
  if (before?.includes('svc-tests-')) return () => {}
  const folder = mkdtempSync(join(before ?? memory() ?? tmpdir(), 'svc-tests-'))
  // Some tests start a command as another user.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  return () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A folder in memory with room for all files of the tests, where a file is on the disk at once; undefined if there is none. */
function memory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 8 * 2 ** 30 ? '/dev/shm' : undefined
  } catch {
    return undefined
  }
}
