import { basename, dirname, join } from 'node:path'
import { CliError, exit } from '../../cli/src/exit.js'
import type { Io, Parts, WriteOptions } from '../../cli/src/io/index.js'
import type { Candidate } from './candidates.js'
import { isOwnText } from './known-files.js'

/** A file that the command itself reads or writes. */
export interface WritePlace {
  /** The option, such as `--report md=a.md`. */
  what: string
  path: string
  /** Only read, so that it may be an input. */
  isRead?: boolean
}

class WriteRefused extends CliError {
  constructor(message: string, hint: string) {
    super(exit.usage, message, { hint })
  }
}

/**
 * Refuse, before anything is written, two places that are the same file, and a place that is an input. Real paths are
 * compared, then device and inode. A file that `svc` wrote and that was found in a folder is no input.
 *
 * @throws {WriteRefused}
 */
export async function guardWrites(
  io: Io,
  places: readonly WritePlace[],
  inputs: readonly Pick<Candidate, 'path' | 'real' | 'isFound'>[] = [],
): Promise<void> {
  const known = new Map<string, WritePlace>()
  for (const place of places) {
    const { keys, isThrough } = await keysOf(io, place.path)
    if (isThrough) continue
    for (const key of keys) {
      const other = known.get(key)
      if (other && other !== place && !(other.isRead && place.isRead)) {
        throw new WriteRefused(`${other.what} and ${place.what} are the same file.`, 'use different files')
      }
      known.set(key, place)
    }
  }
  const isAnyThere = places.some(({ path }) => io.fileId(path) !== undefined)
  if (!isAnyThere) return
  for (const input of inputs) {
    const place = known.get(input.real) ?? known.get(io.fileId(input.real) ?? '')
    if (!place || place.isRead || (input.isFound && (await isOwn(io, input.real)))) continue
    throw new WriteRefused(
      `${place.what} is the input ${input.path}: it would be overwritten.`,
      'use another file, or skip the input with --exclude',
    )
  }
}

/** The real path of a file, and its device and inode if it exists. */
async function keysOf(io: Io, path: string): Promise<{ keys: string[]; isThrough: boolean }> {
  // The command itself refuses a path that is not writable.
  const { place, isThrough } = await io.writeTarget(path).catch(() => ({ place: io.resolve(path), isThrough: false }))
  const id = io.fileId(place)
  if (id !== undefined) return { keys: [place, id], isThrough }
  const folder = await io.realPath(dirname(place)).catch(() => dirname(place))
  return { keys: [join(folder, basename(place))], isThrough }
}

async function isOwn(io: Io, path: string): Promise<boolean> {
  const { head } = await io.readEnds(path, 4096)
  return isOwnText(new TextDecoder().decode(head))
}

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

const unwritable = (what: string, path: string, code: string, cause?: unknown): CliError =>
  new CliError(exit.input, `${path}: cannot write ${what} (${code}).`, {
    cause,
    hint: 'use a file in a writable folder',
  })

/** The system's error code of a file that cannot be written. */
async function problemAt(io: Io, file: string): Promise<string | undefined> {
  const kindOf = (path: string) => io.kindOf(path).catch(({ code }: NodeJS.ErrnoException) => code)
  if ((await kindOf(file)) === 'directory') return 'EISDIR'
  return io.tryWrite(file).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => code ?? 'unknown',
  )
}
