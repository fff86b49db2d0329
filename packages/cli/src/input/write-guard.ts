import { basename, dirname, join } from 'node:path'
import type { InputFiles } from './files.js'
import type { Candidate } from './find.js'
import { InputProblem } from './input-problem.js'
import { isOwnText } from './known-files.js'

type GuardIo = Pick<InputFiles, 'fileId' | 'readEnds' | 'realPath' | 'resolve' | 'writeTarget'>

/** A file that the command itself reads or writes. */
export interface WritePlace {
  /** The option, such as `--report md=a.md`. */
  what: string
  path: string
  /** Only read, so that it may be an input. */
  isRead?: boolean
}

/**
 * Refuse, before anything is written, two places that are the same file, and a place that is an input. Real paths are
 * compared, then device and inode. A file that `svc` wrote and that was found in a folder is no input.
 *
 * @throws {InputProblem} `same_file` or `overwritten_input`
 */
export async function guardWrites(
  io: GuardIo,
  places: readonly WritePlace[],
  inputs: readonly Pick<Candidate, 'path' | 'real' | 'isFound'>[] = [],
): Promise<void> {
  const placesByKey = new Map<string, WritePlace>()
  for (const place of places) {
    const { keys, isThrough } = await keysOf(io, place.path)
    if (isThrough) continue
    for (const key of keys) {
      const other = placesByKey.get(key)
      if (other && other !== place && !(other.isRead && place.isRead)) {
        const message = `${other.what} and ${place.what} are the same file.`
        throw new InputProblem('same_file', message, { hint: 'use different files' })
      }
      placesByKey.set(key, place)
    }
  }
  const isAnyThere = places.some(({ path }) => io.fileId(path) !== undefined)
  if (!isAnyThere) return
  for (const input of inputs) {
    const place = placesByKey.get(input.real) ?? placesByKey.get(io.fileId(input.real) ?? '')
    if (!place || place.isRead || (input.isFound && (await isOwn(io, input.real)))) continue
    throw new InputProblem('overwritten_input', `${place.what} is the input ${input.path}: it would be overwritten.`, {
      hint: 'use another file, or skip the input with --exclude',
    })
  }
}

async function keysOf(io: GuardIo, path: string): Promise<{ keys: string[]; isThrough: boolean }> {
  // The command itself refuses a path that is not writable.
  const { place, isThrough } = await io.writeTarget(path).catch(() => ({ place: io.resolve(path), isThrough: false }))
  const id = io.fileId(place)
  if (id !== undefined) return { keys: [place, id], isThrough }
  const folder = await io.realPath(dirname(place)).catch(() => dirname(place))
  return { keys: [join(folder, basename(place))], isThrough }
}

async function isOwn(io: GuardIo, path: string): Promise<boolean> {
  const { head } = await io.readEnds(path, 4096)
  return isOwnText(new TextDecoder().decode(head))
}
