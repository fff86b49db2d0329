import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  constants,
  createReadStream,
  type Dirent,
  existsSync,
  fstatSync,
  openSync,
  type PathLike,
  readSync,
  statSync,
} from 'node:fs'
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Ends, InputFiles } from '../input/index.js'

/** The files of this machine as input, and whole ones for other uses. */
export interface NodeFiles extends Omit<InputFiles, 'env' | 'writeTarget' | 'stop' | 'checkpoint'> {
  /** All bytes of standard input. Rejects with the reason of the signal. */
  readStdin(): Promise<Uint8Array>
}

/** Paths are relative to `cwd`. `signal` ends what waits for a writer; `stdin` is called when standard input is read. */
export function nodeFiles(cwd: string, signal: AbortSignal, stdin: () => NodeJS.ReadStream): NodeFiles {
  const at = (path: string) => resolve(cwd, path)
  /** For what is read: also a path whose name is not UTF-8. */
  const readPath = (path: string) => pathOf(at(path))
  const realPath = async (path: string) => nameOf(await realpath(readPath(path), { encoding: 'buffer' }))
  const stdinParts = () => partsOf(stdin(), signal)
  return {
    openStdin: async (keepBytes) => (await containers()).openStream(stdinParts(), keepBytes),
    async openFile(path) {
      const { openFile, openStream } = await containers()
      const file = readPath(path)
      const isPipe = statSync(file).isFIFO()
      return isPipe ? openStream(pipeParts(file, signal)) : openFile(file)
    },
    resolve: at,
    readStdin: () => joined(stdinParts()),
    readFile: async (path, { maxBytes = longestText, isPlain = false } = {}) => {
      const file = readPath(path)
      const facts = statSync(file)
      if (isPlain || facts.isFile() || facts.isDirectory()) return readPlain(file, maxBytes)
      const parts = facts.isFIFO() ? pipeParts(file, signal) : createReadStream(file)
      return joined(parts, maxBytes)
    },
    readEnds: (path, bytes) => endsOf(readPath(path), bytes),
    isThere: (path) => existsSync(readPath(path)),
    async readDirectory(path) {
      const entries = await readdir(readPath(path), { withFileTypes: true, encoding: 'buffer' })
      return entries.map((entry) => ({ name: nameOf(entry.name), kind: kindOfEntry(entry) }))
    },
    async kindOf(path) {
      const facts = await stat(readPath(path))
      return facts.isDirectory() ? 'directory' : facts.isFile() ? 'file' : 'other'
    },
    realPath,
    async linkAt(path) {
      const facts = await lstat(readPath(path)).catch(() => undefined)
      return facts?.isSymbolicLink() ? join(await realPath(dirname(at(path))), basename(at(path))) : undefined
    },
    fileId(path) {
      try {
        const facts = statSync(readPath(path), { bigint: true })
        return facts.isFile() ? `${facts.dev}:${facts.ino}` : undefined
      } catch {
        return undefined
      }
    },
  }
}

/** Loaded on the first opened file: most commands read none. */
const containers = () => import('@svc/transcripts/containers')

const kindOfEntry = (entry: Dirent<Buffer>) =>
  entry.isDirectory() ? 'directory' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other'

/**
 * Read a regular file. Rejects with the system's error code, or with a reason as its `code`: anything else, and a file that
 * is too large, is not read.
 */
function readPlain(path: PathLike, maxBytes: number): Uint8Array {
  // Looked at before it is opened, because that alone may move a device.
  refuseUnbounded(statSync(path), maxBytes)
  // Opened without waiting: it may have become a pipe.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    refuseUnbounded(stats, maxBytes)
    // One byte more, to see that a growing file ends; files such as those of /proc have no size.
    let buffer = new Uint8Array((stats.size || 1 << 16) + 1)
    let length = 0
    for (;;) {
      const bytes = readSync(file, buffer, length, buffer.length - length, null)
      if (bytes === 0) return buffer.subarray(0, length)
      length += bytes
      if (length > maxBytes) throw tooLarge(maxBytes)
      if (length < buffer.length) continue
      const larger = new Uint8Array(2 * buffer.length)
      larger.set(buffer)
      buffer = larger
    }
  } finally {
    closeSync(file)
  }
}

function refuseUnbounded(found: { isFile(): boolean; isDirectory(): boolean; size: number }, maxBytes: number): void {
  if (found.isDirectory()) throw refusal('EISDIR')
  if (!found.isFile()) throw refusal('it is a device or a pipe, not a file')
  if (found.size > maxBytes) throw tooLarge(maxBytes)
}

const tooLarge = (maxBytes: number): Error => refusal(`it is larger than ${Math.ceil(maxBytes / 2 ** 20)} MiB`)

const longestText = 2 ** 29 - 24

async function joined(parts: AsyncIterable<Uint8Array>, maxBytes = longestText): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  let bytes = 0
  for await (const part of parts) {
    bytes += part.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    all.push(part)
  }
  return Buffer.concat(all)
}

async function* partsOf(stream: NodeJS.ReadStream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted()
  const stop = () => stream.destroy()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of stream) yield chunk as Uint8Array
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
  signal.throwIfAborted()
}

const partBytes = 1 << 16

/**
 * The bytes of a named pipe, waiting for its first writer. An ordinary open would hold a thread until somebody writes,
 * and no signal ends a process whose thread is held. Rejects with the signal's reason.
 */
async function* pipeParts(path: PathLike, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const buffer = new Uint8Array(partBytes)
  let hadWriter = false
  try {
    for (;;) {
      signal.throwIfAborted()
      const bytes = readNow(file, buffer)
      if (bytes === 0 && hadWriter) return
      hadWriter ||= bytes !== 0
      if (bytes) yield buffer.slice(0, bytes)
      else await setTimeout(20)
    }
  } finally {
    closeSync(file)
  }
}

/** The number of bytes read; 0 where nobody has the pipe open for writing, undefined where its writer has written nothing. */
function readNow(file: number, buffer: Uint8Array): number | undefined {
  try {
    return readSync(file, buffer)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}

async function endsOf(path: PathLike, bytes: number): Promise<Ends> {
  const file = await open(path)
  try {
    const { size, mtimeMs: modified } = await file.stat()
    const read = async (position: number) => {
      const { buffer, bytesRead } = await file.read(new Uint8Array(bytes), 0, bytes, position)
      return buffer.subarray(0, bytesRead)
    }
    const head = await read(0)
    return { head, tail: size > bytes ? await read(size - bytes) : head, size, modified }
  } finally {
    await file.close()
  }
}

const refusal = (code: string): Error => Object.assign(new Error(code), { code })

/** The text of a file name. A byte that is not UTF-8 is written as in `caf\xe9.json`. */
export const nameOf = (bytes: Buffer): string =>
  bytes.toString('latin1').replaceAll(/[\x80-\xff]+/g, (part) => {
    const run = Buffer.from(part, 'latin1')
    return isUtf8(run) ? run.toString() : [...run].map((byte) => `\\x${byte.toString(16)}`).join('')
  })

/** The path that `nameOf` wrote as this text. A file whose name is the text itself is preferred. */
function pathOf(name: string): PathLike {
  if (!/\\x[89a-f][\da-f]/.test(name) || existsSync(name)) return name
  const bytes = Buffer.from(name)
    .toString('latin1')
    .replaceAll(/\\x([89a-f][\da-f])/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return Buffer.from(bytes, 'latin1')
}
