import { createHash } from 'node:crypto'
import type { Chunk } from '@svc/transcripts'
import { ContainerError, type Opened } from '@svc/transcripts/containers'
import { exclusionsOf, noteUnmatched } from './exclusions.js'
import type { InputFiles } from './files.js'
import { type Candidate, findCandidates, type InputFlags, type InputGap, type Lookup, unreadable } from './find.js'
import type { InputProblem } from './input-problem.js'
import { addSkipped, type Skipped } from './skipped.js'
import { joinEvents, type StoredSession, storedSession } from './storage/index.js'

export interface Source {
  path: string
  /** The path of the candidate: this file, or the archive that holds it. */
  file: string
  /** The path that was named: this file, or the directory or archive in which it was found. */
  root: string
  /** Found in a directory or an archive, not named itself. */
  isFound: boolean
  /** One of several that share the flags. */
  isOneOfSeveral: boolean
  /** The path of the file that its content is from, which names transcripts without a title. Default: `path`. */
  origin?: string
  /** The id of its conversation, if the file has none. */
  id?: string
  /** The folder of its members, if it is a session of several files. */
  folder?: string
  /** Members of the same archive that are not read, listed with its first file. */
  notRead: readonly string[]
  /** Its content from the beginning, at each call. A list if all of it is in memory. */
  chunks(): AsyncIterable<Chunk> | Chunk[]
  /** SHA-256 of its content in hex, or of the archive that cannot be unpacked; undefined if it cannot be read. */
  hash(): Promise<string | undefined>
  /** `InputFiles.checkpoint`, between its records. */
  checkpoint(): Promise<void>
  /** `InputFiles.resolve`. */
  resolve(path: string): string
}

export class UnreadableInput extends Error {
  override readonly name = 'UnreadableInput'
  constructor(readonly gap: InputGap) {
    super(gap.detail)
  }
}

export interface Input {
  candidates: readonly Candidate[]
  skipped: Skipped
  /** Thrown by the caller after it has compared the files to write with the candidates. */
  failure?: InputProblem
  isExcluded(path: string): boolean
  /** Notes about sessions that are not read. */
  notes: readonly string[]
  sources: AsyncIterable<Source>
}

export interface InputReading extends Lookup {
  /** Bytes of standard input that are buffered, to be read again. Default: all. */
  keepBytes?: number
}

/** Bytes of a streamed standard input that are buffered, so that a short one can be read again. */
export const streamBufferBytes = 4 << 20

/** Find the input: files, transcript files of directories (recursive, sorted), matches of patterns, `-`. Archives are opened. */
export async function findInput(io: InputFiles, paths: readonly string[], reading: InputReading = {}): Promise<Input> {
  const files = await findCandidates(io, paths, reading)
  return { ...files, notes: [], sources: sourcesOf(io, files.candidates, { ...reading, ...files }) }
}

async function* sourcesOf(
  io: InputFiles,
  candidates: readonly Candidate[],
  opening: Opening,
): AsyncGenerator<Source, void, undefined> {
  for (const candidate of candidates) {
    await io.checkpoint()
    yield* await sourcesAt(io, candidate, { ...opening, isOneOfSeveral: candidates.length > 1 })
  }
  opening.noteUnmatched()
}

export async function findSessionInput(
  io: InputFiles,
  files: readonly Pick<Candidate, 'path' | 'id' | 'members'>[],
  root: string,
  { exclude = [], excludeInSettings, notes }: InputFlags & { notes: readonly string[] },
): Promise<Input> {
  const skipped: Skipped = new Map()
  const { isExcluded, unmatched } = await exclusionsOf(io, exclude, excludeInSettings)
  const candidates: Candidate[] = []
  for (const file of files) {
    const { path } = file
    if (isExcluded(path)) addSkipped(skipped, 'excluded', path)
    else candidates.push({ ...file, root, isFound: true, real: await io.realPath(path).catch(() => io.resolve(path)) })
  }
  const opening = { skipped, isExcluded, noteUnmatched: () => noteUnmatched(skipped, unmatched()) }
  return { candidates, skipped, isExcluded, notes, sources: sourcesOf(io, candidates, opening) }
}

interface Opening extends InputReading {
  isOneOfSeveral?: boolean
  skipped: Skipped
  isExcluded(path: string): boolean
  noteUnmatched(): void
}

async function sourcesAt(io: InputFiles, candidate: Candidate, opening: Opening): Promise<Source[]> {
  const { path, root, isFound, gap, id, members } = candidate
  const { isOneOfSeveral = false } = opening
  const { checkpoint, resolve } = io
  const named = { path, file: path, root, isFound, isOneOfSeveral, checkpoint, resolve }
  if (gap) {
    const chunks = () => rejecting(new UnreadableInput(gap))
    return [{ ...named, notRead: [], chunks, hash: async () => undefined }]
  }
  const session = await storedSession(io, path)
  if (session) {
    const { folder } = session
    const excluded = new Set<string>()
    const chunks = () => withoutExcluded(session, opening, excluded)
    const hash = () => hashOf(chunks, () => io.readFile(path, { isPlain: true }))
    return [{ ...named, folder, notRead: [], chunks, hash }]
  }
  const { files, left } = await opened(opening.keepsGaps, path, () =>
    path === '-' ? io.openStdin(opening.keepBytes) : io.openFile(path),
  )
  const kept = files.filter(({ member }) => {
    if (members && (member === undefined || !members.includes(member))) return false
    if (member === undefined || !isMemberExcluded(`${path}/${member}`, path, opening)) return true
    addSkipped(opening.skipped, 'excluded', `${path}/${member}`)
    return false
  })
  return (await joinEvents(kept)).map(({ member, chunks }, index): Source => {
    const notRead = index === 0 ? left.map((name) => `${path}/${name}`) : []
    return {
      ...named,
      path: member === undefined ? path : `${path}/${member}`,
      isFound: isFound || member !== undefined,
      isOneOfSeveral: isOneOfSeveral || kept.length > 1,
      ...(id !== undefined && { id }),
      notRead,
      chunks,
      hash: () => hashOf(chunks, () => io.readFile(path, { isPlain: true })),
    }
  })
}

/** The files of a session, without those that are excluded. `excluded`: those that are counted. */
async function* withoutExcluded(
  { folder, chunks }: StoredSession,
  opening: Opening,
  excluded: Set<string>,
): AsyncGenerator<Chunk> {
  let isLeftOut = false
  for await (const chunk of chunks()) {
    if (typeof chunk === 'object' && 'member' in chunk) {
      const path = `${folder}/${chunk.member}`
      // A list names the file that stands for the session.
      isLeftOut = opening.listed === undefined && isMemberExcluded(path, folder, opening)
      if (isLeftOut && !excluded.has(path)) addSkipped(opening.skipped, 'excluded', path)
      if (isLeftOut) excluded.add(path)
    }
    if (!isLeftOut) yield chunk
  }
}

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
    // Reported with the other problems, in the order of the files.
    return { files: [{ chunks: () => rejecting(error) }], left: [] }
  }
}

async function hashOf(chunks: Source['chunks'], whole: () => Promise<Uint8Array>): Promise<string | undefined> {
  const hashed = async (all: Source['chunks']) => {
    const sum = createHash('sha256')
    for await (const chunk of all()) sum.update(hashedPart(chunk))
    return sum.digest('hex')
  }
  return hashed(chunks).catch((error: unknown) =>
    error instanceof ContainerError
      ? whole()
          .then((bytes) => hashed(() => [bytes]))
          .catch(() => undefined)
      : undefined,
  )
}

async function* rejecting(error: unknown): AsyncGenerator<never> {
  yield await Promise.reject(error)
}

/** The part of a chunk that the hash of a file is made of. */
function hashedPart(chunk: Chunk): string | Uint8Array {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return chunk
  return 'member' in chunk ? chunk.member : ''
}
