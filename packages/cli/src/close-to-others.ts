import type { Io } from './io.js'

/** Takes a file away from everybody else on this machine; where others could open it, that is said, with what it means. */
export async function closeToOthers(
  io: Io,
  path: string,
  meaning: string,
  warn: (text: string) => void,
): Promise<void> {
  if (((await io.modeOf(path)) & 0o077) === 0) return
  const closed = await io.makePrivate(path).then(
    () => 'now it is yours alone',
    () => 'and that could not be changed',
  )
  warn(`others on this machine could open ${path}; ${closed}. ${meaning}`)
}
