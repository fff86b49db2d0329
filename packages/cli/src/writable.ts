import { dirname } from 'node:path'
import type { WriteOptions } from './disk.js'
import { CliError, exit } from './exit.js'
import type { Io } from './io.js'

/** Refuses, before anything is asked, a file that could not be written later; `what` is in it as in `the report`. */
export async function refuseUnwritableFile(io: Io, what: string, path: string): Promise<void> {
  const code = await problemAt(io, path)
  if (code) throw unwritable(what, path, code)
}

/** Writes a file whole or not at all, in a folder that is made where it is missing. */
export async function writeOut(
  io: Io,
  what: string,
  path: string,
  parts: Iterable<string>,
  options?: WriteOptions,
): Promise<void> {
  try {
    await io.makeFolder(dirname(io.resolve(path)))
    await io.writeFile(path, parts, true, options)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw code === undefined ? cause : unwritable(what, path, code, cause)
  }
}

const unwritable = (what: string, path: string, code: string, cause?: unknown): CliError =>
  new CliError(exit.input, `${path}: ${what} cannot be written (${code}).`, {
    cause,
    hint: 'name a file in a folder that can be written',
  })

/** Why a file cannot be written, as the system would say it. */
async function problemAt(io: Io, file: string): Promise<string | undefined> {
  const kindOf = (path: string) => io.kindOf(path).catch(({ code }: NodeJS.ErrnoException) => code)
  if ((await kindOf(file)) === 'directory') return 'EISDIR'
  const landing = await io.landingOf(file).catch(({ code }: NodeJS.ErrnoException) => code ?? 'unknown')
  if (typeof landing === 'string') return landing
  const { place, isThrough } = landing
  if (isThrough) return (await io.mayWrite(place)) ? undefined : 'EACCES'
  const folder = dirname(place)
  const kind = await kindOf(folder)
  if (kind === 'file' || kind === 'ENOTDIR') return 'ENOTDIR'
  return (await io.mayWrite(folder)) ? undefined : 'EACCES'
}
