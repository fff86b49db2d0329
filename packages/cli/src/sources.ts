import { CliError, type ExitCode, exit } from './exit.js'
import type { Io } from './io.js'

/** A text that may hold transcripts, and the path under which it is spoken of. */
export interface Source {
  path: string
  text: string
}

const transcriptFile = /\.(json|jsonl|ndjson)$/i

/**
 * The texts behind paths: a file as it is, a directory's transcript files (recursive, sorted, hidden ones left out),
 * standard input for `-`.
 */
export async function readSources(
  io: Io,
  paths: readonly string[],
  whenEmpty: ExitCode = exit.input,
): Promise<Source[]> {
  const sources: Source[] = []
  for (const path of paths) {
    if (path === '-') sources.push({ path, text: decode('standard input', await io.readStdin()) })
    else
      for (const file of await filesOf(io, path, whenEmpty))
        sources.push({ path: file, text: decode(file, await read(io, file)) })
  }
  return sources
}

async function filesOf(io: Io, path: string, whenEmpty: ExitCode): Promise<string[]> {
  const kind = await io.kindOf(path).catch((error: unknown) => unreadable(path, error))
  if (kind === 'file') return [path]
  const files = await walk(io, path.replace(/(?<=.)[/\\]+$/, ''))
  if (files.length > 0) return files
  throw new CliError(whenEmpty, `The directory ${path} holds no transcripts.`, {
    hint: 'transcripts are files that end in .json, .jsonl or .ndjson',
  })
}

async function walk(io: Io, directory: string): Promise<string[]> {
  const entries = await io.readDirectory(directory).catch((error: unknown) => unreadable(directory, error))
  const files: string[] = []
  for (const { name, kind } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (name.startsWith('.')) continue
    const path = `${directory}/${name}`
    if (kind === 'directory') files.push(...(await walk(io, path)))
    else if (kind === 'file' && transcriptFile.test(name)) files.push(path)
  }
  return files
}

const read = (io: Io, path: string): Promise<Uint8Array> =>
  io.readFile(path).catch((error: unknown) => unreadable(path, error))

/** V8 holds no longer text. */
const longestText = 2 ** 29 - 24

function decode(path: string, bytes: Uint8Array): string {
  if (bytes.length > longestText) {
    throw new CliError(exit.input, `${path} is larger than ${longestText} bytes.`, {
      hint: 'split it into several files',
    })
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CliError(exit.input, `${path} is not UTF-8 text.`, { hint: 'convert it to UTF-8 JSON first' })
  }
}

function unreadable(path: string, error: unknown): never {
  const code = (error as NodeJS.ErrnoException).code
  const why = code === 'ENOENT' ? 'there is no such file or directory' : `it cannot be read (${code ?? String(error)})`
  throw new CliError(exit.input, `${path}: ${why}.`, { cause: error })
}
