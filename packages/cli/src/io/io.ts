import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  createReadStream,
  type Dirent,
  existsSync,
  openSync,
  type PathLike,
  readSync,
  statSync,
} from 'node:fs'
import { appendFile, lstat, readdir, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { claim, makeFolder } from '@svc/bulk/claims'
import type { Clock, FetchLike } from '@svc/client'
import type { InputFiles } from '@svc/input'
import { checkpoints } from './checkpoints.js'
import {
  endsOf,
  longestText,
  makePrivate,
  makeTemporary,
  modeOf,
  type Parts,
  type ReadBound,
  readPlain,
  type TemporaryFile,
  tooLarge,
  tryWrite,
  type WriteOptions,
  writeTargetOf,
  writeWhole,
} from './disk.js'
import { nameOf, pathOf } from './file-names.js'
import type { TlsFacts } from './hosts.js'

/** One output stream: what it can show, and a way to write to it. */
export interface Output {
  isTTY: boolean
  columns: number
  write(text: string): void
  /** The stream itself, for a spinner. */
  stream?: NodeJS.WriteStream
}

/** The signal that stops a process. A closed terminal counts as SIGTERM. */
export type StopSignal = 'SIGINT' | 'SIGTERM'

/**
 * The environment of a command: streams, files, network, time. Only `bin.ts` takes it from the process. `stop` aborts by a
 * signal, or at the deadline of the run with its error.
 */
export interface Io extends InputFiles {
  stdout: Output
  stderr: Output
  stdinIsTTY: boolean
  /** All bytes of standard input. Rejects with the reason of the signal. */
  readStdin(): Promise<Uint8Array>
  /** All bytes of a file. Rejects with the system's error code, or with a reason as its `code`. */
  readFile(path: string, bound?: ReadBound): Promise<Uint8Array>
  /** Write a file whole or not at all. Rejects with EEXIST if the file exists and `mayReplace` is false. */
  writeFile(path: string, parts: Parts, mayReplace: boolean, options?: WriteOptions): Promise<void>
  /** For output that is held back: see `Spool`. */
  makeTemporary(): Promise<TemporaryFile>
  /** Rejects with the system's error code if `writeFile` could write nothing, as on a full disk. */
  tryWrite(path: string): Promise<void>
  /** Remove a file, following links. Devices and pipes stay. */
  removeFile(path: string): Promise<void>
  /** Append to a file. Creates it if missing. */
  appendFile(path: string, text: string): Promise<void>
  /** Create a folder and its parents. */
  makeFolder(path: string): Promise<void>
  /** The permission bits of a file; on Windows 0o600. */
  modeOf(path: string): Promise<number>
  /** Remove the permissions of all other users. */
  makePrivate(path: string): Promise<void>
  /** Write a private file (0600) whole or not at all. Creates its folders (0700). */
  writePrivate(path: string, text: string): Promise<void>
  /**
   * Lock a file for a change by this process; resolves with the function that releases it. Waits for other processes; rejects
   * with the code EBUSY if they hold it for ten seconds.
   */
  lock(path: string): Promise<() => void>
  /** Ask for a line on the terminal. Rejects with the reason of the signal. */
  ask(question: string, hidden: boolean): Promise<string>
  /** Run a command with this environment, on the streams of this process; `input` replaces its standard input. */
  spawn(command: string, args: string[], env: Record<string, string | undefined>, input?: string): ChildProcess
  /** Aborted by a signal, with `'SIGINT'` or `'SIGTERM'` as its reason. */
  signal: AbortSignal
  /** Call back for each signal until the returned function is called. */
  onSignal(listener: (signal: StopSignal) => void): () => void
  lookup(host: string): Promise<string[]>
  reach(host: string, port: number, signal: AbortSignal): Promise<void>
  tls(host: string, port: number, signal: AbortSignal): Promise<TlsFacts>
  mayWrite(path: string): Promise<boolean>
  /** As in `20.19.0`. */
  nodeVersion: string
  /** The program and the script of this process, so that a child can start `svc`. */
  self: { node: string; script: string }
  /** Default: those of the client. */
  fetch?: FetchLike
  clock?: Clock
}

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'execPath' | 'argv' | 'versions'>

export function realIo(process: Streams, cwd: string, stopping: Pick<Io, 'signal' | 'onSignal'>): Io {
  const at = (path: string) => resolve(cwd, path)
  /** For what is read: also a path whose name is not UTF-8. */
  const found = (path: string) => pathOf(at(path))
  const realPath = async (path: string) => nameOf(await realpath(found(path), { encoding: 'buffer' }))
  let stdout: Output | undefined
  let stderr: Output | undefined
  const stdinParts = () => {
    if (process.stdin.isTTY) process.stderr.write('reading standard input; Ctrl-D ends it\n')
    return partsOf(process.stdin, stopping.signal)
  }
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
    openStdin: async (keepBytes) => (await containers()).openStream(stdinParts(), keepBytes),
    async openFile(path) {
      const { openFile, openStream } = await containers()
      const file = found(path)
      const isPipe = statSync(file).isFIFO()
      return isPipe ? openStream(pipeParts(file, stopping.signal)) : openFile(file)
    },
    resolve: at,
    readStdin: () => joined(stdinParts()),
    readFile: async (path, { maxBytes = longestText, isPlain = false } = {}) => {
      const file = found(path)
      const facts = statSync(file)
      if (isPlain || facts.isFile() || facts.isDirectory()) return readPlain(file, maxBytes)
      const parts = facts.isFIFO() ? pipeParts(file, stopping.signal) : createReadStream(file)
      return joined(parts, maxBytes)
    },
    readEnds: (path, bytes) => endsOf(found(path), bytes),
    writeFile: (path, parts, mayReplace, options) => writeWhole(at(path), parts, mayReplace, options),
    makeTemporary,
    tryWrite: (path) => tryWrite(at(path)),
    writeTarget: (path) => writeTargetOf(at(path)),
    async removeFile(path) {
      const { place, isThrough } = await writeTargetOf(at(path))
      if (!isThrough) await rm(place, { force: true })
    },
    appendFile: async (path, text) => appendFile((await writeTargetOf(at(path))).place, text),
    makeFolder: async (path) => makeFolder(at(path), 0o777),
    isThere: (path) => existsSync(found(path)),
    modeOf: (path) => modeOf(at(path)),
    makePrivate: (path) => makePrivate(at(path)),
    async writePrivate(path, text) {
      makeFolder(dirname(at(path)))
      await writeWhole(at(path), [text], true, { isPrivate: true })
    },
    async lock(path) {
      const { place } = await writeTargetOf(at(path))
      makeFolder(dirname(place))
      return lockFile(place, stopping.signal)
    },
    ask: async (question, hidden) => {
      const write = (text: string) => void process.stderr.write(text)
      const terminal = { input: process.stdin, write, signal: stopping.signal }
      return (await import('./prompt.js')).askLine(terminal, question, hidden)
    },
    async readDirectory(path) {
      const entries = await readdir(found(path), { withFileTypes: true, encoding: 'buffer' })
      return entries.map((entry) => ({ name: nameOf(entry.name), kind: kindOfEntry(entry) }))
    },
    kindOf: async (path) => ((await stat(found(path))).isDirectory() ? 'directory' : 'file'),
    realPath,
    async linkAt(path) {
      const facts = await lstat(found(path)).catch(() => undefined)
      return facts?.isSymbolicLink() ? join(await realPath(dirname(at(path))), basename(at(path))) : undefined
    },
    fileId(path) {
      try {
        const facts = statSync(found(path), { bigint: true })
        return facts.isFile() ? `${facts.dev}:${facts.ino}` : undefined
      } catch {
        return undefined
      }
    },
    spawn(command, args, env, input) {
      if (input === undefined) return spawn(command, args, { env, stdio: 'inherit', cwd })
      const child = spawn(command, args, { env, stdio: ['pipe', 'inherit', 'inherit'], cwd })
      // A pager may end before it has read everything.
      child.stdin.on('error', () => {}).end(input)
      return child
    },
    lookup: async (host) => (await hosts()).addressesOf(host),
    reach: async (host, port, signal) => (await hosts()).reach(host, port, signal),
    tls: async (host, port, signal) => (await hosts()).tlsOf(host, port, signal),
    mayWrite: async (path) => (await hosts()).mayWrite(at(path)),
    nodeVersion: process.versions.node,
    ...stopping,
    stop: stopping.signal,
    checkpoint: checkpoints(stopping.signal),
    self: { node: process.execPath, script: process.argv[1] ?? '' },
  }
}

/** End a process that something still keeps after so many milliseconds. The wait keeps nothing. */
export function endSoon(host: Pick<NodeJS.Process, 'exit'>, ms: number): void {
  void setTimeout(ms, undefined, { ref: false }).then(() => host.exit())
}

/** The longest wait for a file that other processes change, in milliseconds. */
const longestWaitMs = 10_000

/**
 * Lock a file for a short change; waits while other processes hold it. Rejects with the code EBUSY, or with the reason of the
 * signal.
 */
async function lockFile(path: string, signal: AbortSignal): Promise<() => void> {
  // Loaded here: most commands lock nothing, and start without it.
  const ledger = basename(path)
  for (const until = performance.now() + longestWaitMs; ; ) {
    signal.throwIfAborted()
    const claimed = await claim(dirname(path), ledger, { ledger, at: new Date().toISOString() })
    if (typeof claimed === 'function') return claimed
    if (performance.now() > until) {
      const { pid, host, at, file } = claimed
      throw Object.assign(new Error(`pid ${pid} on ${host}, since ${at}`), { code: 'EBUSY', path: file })
    }
    // Processes that wait alike would meet again and again.
    await setTimeout(5 + Math.random() * 45)
  }
}

/** Loaded on the first opened file: most commands read none. */
const containers = () => {
  loading ??= import('@svc/transcripts/containers')
  return loading
}
let loading: Promise<typeof import('@svc/transcripts/containers')> | undefined

const hosts = () => import('./hosts.js')

/** A stream of the process. `forced`: write as to a terminal of this width. */
function outputOf(stream: NodeJS.WriteStream, forced: string | undefined): Output {
  return {
    isTTY: stream.isTTY === true || Number(forced) > 0,
    columns: Number(forced) || stream.columns || 80,
    write: (text) => void stream.write(text),
    stream,
  }
}

const kindOfEntry = (entry: Dirent<Buffer>) =>
  entry.isDirectory() ? 'directory' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other'

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
