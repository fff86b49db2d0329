import type { Chunk } from '@svc/transcripts'
import { ContainerError, type Opened } from '@svc/transcripts/containers'
import type { CliError } from '../exit.js'
import type { Io } from '../io/index.js'
import { type Candidate, findCandidates, type InputGap, type Lookup, matcherFor, unreadable } from './candidates.js'
import { addSkipped, type Skipped } from './skipped.js'

/** A file that may hold transcripts, and the path under which it is spoken of. */
export interface Source {
  path: string
  /** The path that was named: the file's own, or that of the directory or archive in which it was found. */
  root: string
  /** It was found in a directory or an archive, and not named itself. */
  isFound: boolean
  /** Members of the same archive that are not read; listed with one of its files. */
  notRead: readonly string[]
  /** Its parts from the beginning, each time that they are asked for; a list where all of them are there. */
  chunks(): AsyncIterable<Chunk> | Chunk[]
}

/** Why a source has no content to read. */
export class UnreadableInput extends Error {
  override readonly name = 'UnreadableInput'
  constructor(readonly gap: InputGap) {
    super(gap.detail)
  }
}

/** What there is to read. */
export interface Input {
  candidates: readonly Candidate[]
  skipped: Skipped
  /** Why the input is refused; to be thrown after the places that are written to were compared with the candidates. */
  failure?: CliError
  isExcluded(path: string): boolean
  /** Each file, opened when its turn comes. */
  sources: AsyncIterable<Source>
}

/** How input is read, and how paths are looked up. */
export interface InputReading extends Lookup {
  /** So much of standard input is held, to be looked at again. Default: all of it. */
  keepBytes?: number
}

/** So many bytes of standard input are held where it is read as it comes, so that a short one can be looked through again. */
export const streamBufferBytes = 4 << 20

/**
 * What is behind paths: a file as it is, a directory's transcript files (recursive, sorted), a pattern's matches, standard
 * input for `-`. What is packed is opened.
 */
export async function findInput(io: Io, paths: readonly string[], reading: InputReading = {}): Promise<Input> {
  const found = await findCandidates(io, paths, reading)
  return { ...found, sources: sourcesOf(io, found.candidates, { ...reading, ...found }) }
}

async function* sourcesOf(
  io: Io,
  candidates: readonly Candidate[],
  opening: Opening,
): AsyncGenerator<Source, void, undefined> {
  for (const candidate of candidates) yield* await sourcesAt(io, candidate, opening)
}

/** What is in sessions that were found on this machine, without those that are excluded. */
export async function findSessionInput(io: Io, paths: readonly string[], root: string, flags: Lookup): Promise<Input> {
  const skipped: Skipped = new Map()
  const isExcluded = await matcherFor(io, flags.exclude ?? [])
  const candidates: Candidate[] = []
  for (const path of paths) {
    if (isExcluded(path)) addSkipped(skipped, 'excluded', path)
    else candidates.push({ path, root, isFound: true, real: await io.realPath(path).catch(() => io.resolve(path)) })
  }
  return { candidates, skipped, isExcluded, sources: sourcesOf(io, candidates, { skipped, isExcluded }) }
}

interface Opening extends InputReading {
  skipped: Skipped
  isExcluded(path: string): boolean
}

async function sourcesAt(io: Io, candidate: Candidate, opening: Opening): Promise<Source[]> {
  const { path, root, isFound, gap } = candidate
  if (gap) return [{ path, root, isFound, notRead: [], chunks: () => rejecting(new UnreadableInput(gap)) }]
  const { files, left } = await opened(opening.keepsGaps, path, () =>
    path === '-' ? io.openStdin(opening.keepBytes) : io.openFile(path),
  )
  const sources = files.map(({ member, chunks }, index): Source => {
    const notRead = index === 0 ? left.map((name) => `${path}/${name}`) : []
    return {
      path: member === undefined ? path : `${path}/${member}`,
      root,
      isFound: isFound || member !== undefined,
      notRead,
      chunks,
    }
  })
  return sources.filter((source) => {
    if (source.path === path || !isMemberExcluded(source.path, path, opening)) return true
    addSkipped(opening.skipped, 'excluded', source.path)
    return false
  })
}

/** Whether a member of an archive is excluded, or a folder in the archive that it is in. */
function isMemberExcluded(member: string, archive: string, { isExcluded }: Opening): boolean {
  const steps = member.slice(archive.length + 1).split('/')
  return steps.some((_, at) => isExcluded(`${archive}/${steps.slice(0, at + 1).join('/')}`))
}

async function opened(keepsGaps: boolean | undefined, path: string, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof ContainerError) && !keepsGaps)
      return unreadable(path === '-' ? 'standard input' : path, error)
    // It is reported with all other problems, in its turn.
    return { files: [{ chunks: () => rejecting(error) }], left: [] }
  }
}

async function* rejecting(error: unknown): AsyncGenerator<never> {
  yield await Promise.reject(error)
}
