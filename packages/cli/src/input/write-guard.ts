import { basename, dirname, join } from 'node:path'
import { CliError, exit } from '../exit.js'
import type { Io, WriteOptions } from '../io/index.js'
import type { Candidate } from './candidates.js'
import { isOwnText } from './known-files.js'

/** A file that a command reads or writes for itself, as its user names it. */
export interface WritePlace {
  /** As in `--report md=a.md`. */
  what: string
  path: string
  /** It is only read, so that it may be an input. */
  isRead?: boolean
}

/** The refusal of a place that is an input or another place. A run that ends with it has touched no file. */
class WriteRefused extends CliError {
  constructor(message: string, hint: string) {
    super(exit.usage, message, { hint })
  }
}

/**
 * Refuses, before anything is written, two places in one file, and a place that is one of the inputs, however they are
 * named: real paths are compared, then device and inode. A file that `svc` wrote, found in a folder that is read, is no
 * input.
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
        throw new WriteRefused(`${other.what} and ${place.what} are the same file.`, 'give each a file of its own')
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
      'name another file, or leave the input out with --exclude',
    )
  }
}

/** The identity of the file at a place: its real path, and its device and inode if it exists. */
async function keysOf(io: Io, path: string): Promise<{ keys: string[]; isThrough: boolean }> {
  // A path that may not be written to is refused by the command, with what it is for.
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
  const landing = await io.writeTarget(file).catch(({ code }: NodeJS.ErrnoException) => code ?? 'unknown')
  if (typeof landing === 'string') return landing
  const { place, isThrough } = landing
  if (isThrough) return (await io.mayWrite(place)) ? undefined : 'EACCES'
  const folder = dirname(place)
  const kind = await kindOf(folder)
  if (kind === 'file' || kind === 'ENOTDIR') return 'ENOTDIR'
  return (await io.mayWrite(folder)) ? undefined : 'EACCES'
}
