import { dirname } from 'node:path'
import type { Io } from './io.js'

/** Why a file cannot be written, as the system would say it. */
export async function problemAt(io: Io, file: string): Promise<string | undefined> {
  const folder = dirname(io.resolve(file))
  const kindOf = (path: string) => io.kindOf(path).catch(({ code }: NodeJS.ErrnoException) => code)
  if ((await kindOf(file)) === 'directory') return 'EISDIR'
  const kind = await kindOf(folder)
  if (kind === 'file' || kind === 'ENOTDIR') return 'ENOTDIR'
  return (await io.mayWrite(folder)) ? undefined : 'EACCES'
}
