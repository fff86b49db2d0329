import type { Chunk } from '@svc/transcripts'
import { ContainerError, isTranscriptFile, type Opened } from '@svc/transcripts/containers'
import { CliError, type ExitCode, exit } from './exit.js'
import type { Io } from './io.js'
import { isPattern, refuseStdinTwice, trimmed } from './named-paths.js'
import type { ReadFile } from './read-ahead.js'

/** A file that may hold transcripts, and the path under which it is spoken of. */
export interface Source {
  path: string
  /** The path that was named: the file's own, or that of the directory or archive in which it was found. */
  root: string
  /** It was come upon in a directory or an archive, and not named itself. */
  isFound: boolean
  /** Members of the same archive that are not read; told of one of its files. */
  notRead: readonly string[]
  /** Its parts from the beginning, each time that they are asked for; a list where all of them are there. */
  chunks(): AsyncIterable<Chunk> | Chunk[]
}

/** What a directory holds that is not taken. */
export interface Skipped {
  hidden: number
  links: number
}

/** How sources are gathered. */
export interface Gathering {
  /** The exit code where a directory holds nothing. */
  whenEmpty?: ExitCode
  /** Counts what is not taken. */
  skipped?: Skipped
  /** So much of standard input is held, to be looked at again. Default: all of it. */
  keepBytes?: number
}

/** So many bytes of standard input are held where it is read as it comes, so that a short one can be looked through again. */
export const heldOfStream = 4 << 20

/**
 * The files behind paths, each opened when its turn comes: a file as it is, a directory's transcript files (recursive,
 * sorted, hidden ones and links left out and counted), a pattern's matches, standard input for `-`. What is packed is
 * opened.
 */
export async function* sourcesOf(
  io: Io,
  paths: readonly string[],
  { whenEmpty = exit.input, skipped = { hidden: 0, links: 0 }, keepBytes }: Gathering = {},
): AsyncGenerator<Source, void, undefined> {
  refuseStdinTwice(paths)
  for (const path of paths) {
    if (path === '-') yield* sourcesIn(path, path, await opened('standard input', () => io.openStdin(keepBytes)))
    else {
      // Not delegated to a generator of its own, in which each of many files would be waited for once more.
      for await (const files of io.readAhead(filesBehind(io, path, whenEmpty, skipped))) {
        for (const file of files) for (const source of await sourcesAt(io, file, path)) yield source
      }
    }
  }
}

/** The files that a path names, in lists; refused where there are none. */
async function* filesBehind(io: Io, path: string, whenEmpty: ExitCode, skipped: Skipped): AsyncGenerator<string[]> {
  const kind = await io.kindOf(path).catch((error: unknown) => {
    if (isPattern(path)) return 'pattern' as const
    return unreadable(path, error)
  })
  if (kind === 'file') return yield [path]
  let isEmpty = true
  for await (const files of kind === 'pattern' ? matches(io, path) : walk(io, trimmed(path), skipped)) {
    isEmpty &&= files.length === 0
    yield files
  }
  if (!isEmpty) return
  if (kind === 'pattern') {
    throw new CliError(whenEmpty, `No file matches ${path}.`, { hint: 'patterns are as in talks/**/*.jsonl' })
  }
  throw new CliError(whenEmpty, `The directory ${path} holds no transcripts.`, {
    hint: 'transcripts are files that end in .json, .jsonl, .ndjson, .traj, .eval, .csv, .tsv or .zip',
  })
}

/** A shell that leaves a pattern alone, or has none, leaves it to us. */
async function* matches(io: Io, pattern: string): AsyncGenerator<string[]> {
  yield (await io.glob(pattern)).filter(isTranscriptFile)
}

/** All of them at once, for work that needs them so. */
export async function readSources(io: Io, paths: readonly string[], whenEmpty?: ExitCode): Promise<Source[]> {
  const sources: Source[] = []
  for await (const source of sourcesOf(io, paths, whenEmpty === undefined ? {} : { whenEmpty })) sources.push(source)
  return sources
}

/** What is in files that nobody named, found in the root. */
export async function* sourcesFound(io: Io, paths: readonly string[], root: string): AsyncGenerator<Source> {
  for (const path of paths) yield* await sourcesAt(io, { path }, root)
}

const sourcesAt = async (io: Io, { path, whole }: ReadFile, root: string): Promise<Source[]> =>
  sourcesIn(path, root, await opened(path, () => io.openFile(path, whole)))

const sourcesIn = (file: string, root: string, { files, left }: Opened): Source[] =>
  files.map(({ member, chunks }, index) => {
    const path = member === undefined ? file : `${file}/${member}`
    const notRead = index === 0 ? left.map((name) => `${file}/${name}`) : []
    return { path, root, isFound: path !== root, notRead, chunks }
  })

async function opened(path: string, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof ContainerError)) return unreadable(path, error)
    // It is told with all other problems, in its turn.
    async function* chunks(): AsyncGenerator<never> {
      yield await Promise.reject(error)
    }
    return { files: [{ chunks }], left: [] }
  }
}

/** The files of a directory up to the next that is a directory, and those in it, in their order. */
async function* walk(io: Io, directory: string, skipped: Skipped, isOfSession = false): AsyncGenerator<string[]> {
  const entries = await io.readDirectory(directory).catch((error: unknown) => unreadable(directory, error))
  const names = new Set(entries.map(({ name }) => name))
  let files: string[] = []
  for (const { name, kind } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isOfSession && name === 'tool-results') continue
    const path = `${directory}/${name}`
    if (name.startsWith('.')) skipped.hidden++
    else if (kind === 'link') skipped.links++
    // Claude Code keeps a folder of the session's name beside a session; large results in it are no talks.
    else if (kind === 'directory') {
      yield files
      files = []
      yield* walk(io, path, skipped, names.has(`${name}.jsonl`))
    } else if (kind === 'file' && isTranscriptFile(name)) files.push(path)
  }
  yield files
}

function unreadable(path: string, error: unknown): never {
  const code = (error as NodeJS.ErrnoException).code
  if (code === undefined) throw error
  const why = code === 'ENOENT' ? 'there is no such file or directory' : `it cannot be read (${code})`
  throw new CliError(exit.input, `${path}: ${why}.`, { cause: error })
}
