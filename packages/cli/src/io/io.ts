import { type ChildProcess, spawn } from 'node:child_process'
import { type Dirent, existsSync, statSync } from 'node:fs'
import { appendFile, lstat, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Clock, Fetch } from '@svc/client'
import type { Opened } from '@svc/transcripts/containers'
import {
  type Ends,
  endsOf,
  makeFolder,
  makePrivate,
  makeTemporary,
  modeOf,
  type Parts,
  type TemporaryFile,
  type WriteOptions,
  type WriteTarget,
  writeTargetOf,
  writeWhole,
} from './disk.js'
import type { TlsFacts } from './hosts.js'
import { pipeParts } from './pipe.js'

/** One output stream: what it can show, and a way to write to it. */
export interface Output {
  isTTY: boolean
  columns: number
  write(text: string): void
  /** The stream itself, where there is one: only a spinner needs it. */
  stream?: NodeJS.WriteStream
}

/** How a process is told to stop; a closed terminal counts as SIGTERM. */
export type StopSignal = 'SIGINT' | 'SIGTERM'

/** What a path is, as far as reading transcripts from it is concerned. */
export type PathKind = 'file' | 'directory'

/** Everything the command touches of the world, as one value; only `bin.ts` takes it from the process. */
export interface Io {
  env: Record<string, string | undefined>
  stdout: Output
  stderr: Output
  stdinIsTTY: boolean
  /**
   * The files in standard input, read as it comes; rejects with the signal's reason when the process is told to stop. It
   * can be read again while no more than `keepBytes` have come. Default: however many come.
   */
  openStdin(keepBytes?: number): Promise<Opened>
  /** The transcript files in a file: itself, or what is packed in it; paths are relative to the working directory. */
  openFile(path: string): Promise<Opened>
  /** All the bytes of standard input; rejects with the signal's reason when the process is told to stop. */
  readStdin(): Promise<Uint8Array>
  /** The bytes of a file; paths are relative to the working directory. */
  readFile(path: string): Promise<Uint8Array>
  /** The first and the last so many bytes of a file; nothing between them is read. */
  readEnds(path: string, bytes: number): Promise<Ends>
  /** Writes a file whole or not at all; rejects with EEXIST where there is one that may not be replaced. */
  writeFile(path: string, parts: Parts, mayReplace: boolean, options?: WriteOptions): Promise<void>
  /** A file for output that is held back: see `Spool`. */
  makeTemporary(): Promise<TemporaryFile>
  /** Where `writeFile` would put what replaces a file. */
  writeTarget(path: string): Promise<WriteTarget>
  /** Removes a file, behind links; a device or pipe stays. */
  removeFile(path: string): Promise<void>
  /** Adds to a file, and makes it where there is none. */
  appendFile(path: string, text: string): Promise<void>
  /** Makes a folder, with those above it that are missing. */
  makeFolder(path: string): Promise<void>
  /** Whether something can be found at a path; at once, because it is asked of many before anything is read. */
  isThere(path: string): boolean
  /** The permission bits of a file; on Windows, which has none, those of a file that nobody else may open. */
  modeOf(path: string): Promise<number>
  /** Takes from everybody else what they may do with a file. */
  makePrivate(path: string): Promise<void>
  /** Writes a file that is this user's alone (0600), whole or not at all, and the folders that it needs (0700). */
  writePrivate(path: string, text: string): Promise<void>
  /** Asks for a line on the terminal, and shows what is typed unless hidden; rejects with the signal's reason. */
  ask(question: string, hidden: boolean): Promise<string>
  /** The names in a directory, hidden ones included, each with what it is itself: links are not followed. */
  readDirectory(path: string): Promise<{ name: string; kind: PathKind | 'link' | 'other' }[]>
  kindOf(path: string): Promise<PathKind>
  /** The real path of what stands at a path, behind all links. */
  realPath(path: string): Promise<string>
  /** The real path of a link itself; undefined where no link stands there. */
  linkAt(path: string): Promise<string | undefined>
  /** The device and inode of the file at a path, behind all links; undefined where there is none. */
  fileId(path: string): string | undefined
  /** A path as an absolute one. */
  resolve(path: string): string
  /** Runs a command with this environment, on this command's own streams. */
  spawn(command: string, args: string[], env: Record<string, string | undefined>): ChildProcess
  /** Aborted with `'SIGINT'` or `'SIGTERM'` as its reason when the process is told to stop. */
  signal: AbortSignal
  /** Calls back for each signal, also a second one, until the returned function is called. */
  onSignal(listener: (signal: StopSignal) => void): () => void
  /**
   * The addresses of a host, whether it takes a connection, what it shows of itself over TLS, and whether a folder can be
   * made or written to.
   */
  lookup(host: string): Promise<string[]>
  reach(host: string, port: number, signal: AbortSignal): Promise<void>
  tls(host: string, port: number, signal: AbortSignal): Promise<TlsFacts>
  mayWrite(path: string): Promise<boolean>
  /** As in `20.19.0`. */
  nodeVersion: string
  /** How `svc` was started: the program and the script, so that a child can start it again. */
  self: { node: string; script: string }
  /** What sends requests and tells time; the client's own defaults where not given. */
  fetch?: Fetch
  clock?: Clock
}

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'execPath' | 'argv' | 'versions'>

/** The world of a process. */
export function realIo(process: Streams, cwd: string, stopping: Pick<Io, 'signal' | 'onSignal'>): Io {
  const at = (path: string) => resolve(cwd, path)
  let stdout: Output | undefined
  let stderr: Output | undefined
  return {
    env: process.env,
    get stdout() {
      stdout ??= outputOf(process.stdout, process.env.SVC_FORCE_TTY)
      return stdout
    },
    get stderr() {
      stderr ??= outputOf(process.stderr, undefined)
      return stderr
    },
    get stdinIsTTY() {
      return process.stdin.isTTY === true
    },
    openStdin: async (keepBytes) => (await containers()).openStream(partsOf(process.stdin, stopping.signal), keepBytes),
    async openFile(path) {
      const { openFile, openStream } = await containers()
      const isPipe = statSync(at(path)).isFIFO()
      return isPipe ? openStream(pipeParts(at(path), stopping.signal)) : openFile(at(path))
    },
    resolve: at,
    readStdin: async () => (await import('./read-whole.js')).readWhole(process.stdin, stopping.signal),
    readFile: (path) => readFile(at(path)),
    readEnds: (path, bytes) => endsOf(at(path), bytes),
    writeFile: (path, parts, mayReplace, options) => writeWhole(at(path), parts, mayReplace, options),
    makeTemporary,
    writeTarget: (path) => writeTargetOf(at(path)),
    async removeFile(path) {
      const { place, isThrough } = await writeTargetOf(at(path))
      if (!isThrough) await rm(place, { force: true })
    },
    appendFile: async (path, text) => appendFile((await writeTargetOf(at(path))).place, text),
    makeFolder: (path) => makeFolder(at(path), 0o777),
    isThere: (path) => existsSync(at(path)),
    modeOf: (path) => modeOf(at(path)),
    makePrivate: (path) => makePrivate(at(path)),
    async writePrivate(path, text) {
      await makeFolder(dirname(at(path)))
      await writeWhole(at(path), [text], true, { isPrivate: true })
    },
    ask: async (question, hidden) => {
      const write = (text: string) => void process.stderr.write(text)
      const terminal = { input: process.stdin, write, signal: stopping.signal }
      return (await import('./prompt.js')).askLine(terminal, question, hidden)
    },
    async readDirectory(path) {
      const entries = await readdir(at(path), { withFileTypes: true })
      return entries.map((entry) => ({ name: entry.name, kind: kindOfEntry(entry) }))
    },
    kindOf: async (path) => ((await stat(at(path))).isDirectory() ? 'directory' : 'file'),
    realPath: (path) => realpath(at(path)),
    async linkAt(path) {
      const found = await lstat(at(path)).catch(() => undefined)
      return found?.isSymbolicLink() ? join(await realpath(dirname(at(path))), basename(at(path))) : undefined
    },
    fileId(path) {
      try {
        const found = statSync(at(path), { bigint: true })
        return found.isFile() ? `${found.dev}:${found.ino}` : undefined
      } catch {
        return undefined
      }
    },
    spawn: (command, args, env) => spawn(command, args, { env, stdio: 'inherit', cwd }),
    lookup: async (host) => (await hosts()).addressesOf(host),
    reach: async (host, port, signal) => (await hosts()).reach(host, port, signal),
    tls: async (host, port, signal) => (await hosts()).tlsOf(host, port, signal),
    mayWrite: async (path) => (await hosts()).mayWrite(at(path)),
    nodeVersion: process.versions.node,
    ...stopping,
    self: { node: process.execPath, script: process.argv[1] ?? '' },
  }
}

/** Loaded when a file is opened, since most commands read none; asked for once, since some read a hundred thousand. */
const containers = () => {
  loading ??= import('@svc/transcripts/containers')
  return loading
}
let loading: Promise<typeof import('@svc/transcripts/containers')> | undefined

/** Loaded where the way to a host is looked at. */
const hosts = () => import('./hosts.js')

/** A stream of the process. `forced` is a width: what is written then is what a terminal that wide would be sent. */
export function outputOf(stream: NodeJS.WriteStream, forced: string | undefined): Output {
  return {
    isTTY: stream.isTTY === true || Number(forced) > 0,
    columns: Number(forced) || stream.columns || 80,
    write: (text) => void stream.write(text),
    stream,
  }
}

const kindOfEntry = (entry: Dirent) =>
  entry.isDirectory() ? 'directory' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other'

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
