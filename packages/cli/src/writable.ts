import { dirname } from 'node:path'
import type { Io } from './io.js'

/** Why a file cannot be written, as the system would say it. */
export async function problemAt(io: Io, file: string): Promise<string | undefined> {
  const kindOf = (path: string) => io.kindOf(path).catch(({ code }: NodeJS.ErrnoException) => code)
  if ((await kindOf(file)) === 'directory') return 'EISDIR'
  const { place, isThrough } = await io.landingOf(file)
  if (isThrough) return (await io.mayWrite(place)) ? undefined : 'EACCES'
  const folder = dirname(place)
  const kind = await kindOf(folder)
  if (kind === 'file' || kind === 'ENOTDIR') return 'ENOTDIR'
  return (await io.mayWrite(folder)) ? undefined : 'EACCES'
}
