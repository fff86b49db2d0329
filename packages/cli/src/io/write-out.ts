import { basename, dirname, join } from 'node:path'
import { CliError, exit } from '../exit.js'
import type { Parts, WriteOptions } from './disk.js'
import type { Io } from './io.js'

/** Refuse a file that cannot be written, before the work begins. `what`: as in `the report`. */
export async function refuseUnwritableFile(io: Io, what: string, path: string): Promise<void> {
  const code = await problemAt(io, path)
  if (code) throw unwritable(what, path, code)
}

/** Write a file whole or not at all. Creates its folder if missing. */
export async function writeOut(
  io: Io,
  what: string,
  path: string,
  parts: Parts,
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

/** Do a short work on a regular file that other processes may change too, under a lock beside it. */
export async function withLock<Result>(
  io: Io,
  what: string,
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { place } = await io.writeTarget(path)
  // The name of a hidden file, so that no check of the folder reads it.
  const unlock = await io.lock(join(dirname(place), `.${basename(place)}`)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === undefined) throw cause
    if (cause.code !== 'EBUSY') throw unwritable(what, path, cause.code, cause)
    throw new CliError(exit.temporary, `${path}: another process writes ${what}: ${cause.message}.`, {
      cause,
      hint: `run the command again; if that process has ended, remove ${cause.path}`,
    })
  })
  try {
    return await work()
  } finally {
    unlock()
  }
}

const unwritable = (what: string, path: string, code: string, cause?: unknown): CliError =>
  new CliError(exit.input, `${path}: cannot write ${what} (${code}).`, {
    cause,
    hint: 'use a file in a writable folder',
  })

async function problemAt(io: Io, file: string): Promise<string | undefined> {
  const kindOf = (path: string) => io.kindOf(path).catch(({ code }: NodeJS.ErrnoException) => code)
  if ((await kindOf(file)) === 'directory') return 'EISDIR'
  return io.tryWrite(file).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => code ?? 'unknown',
  )
}
