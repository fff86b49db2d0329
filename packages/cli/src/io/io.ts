import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { BulkEnvironment } from '@svc/bulk'
import { nodeEnvironment } from '@svc/bulk/node'
import type { Disk as CacheDisk } from '@svc/checks'
import type { Clock, FetchLike } from '@svc/client'
import type { InputFiles } from '../input/index.js'
import { checkpoints } from './checkpoints.js'
import { filesOn, type WrittenFiles } from './disk.js'
import type { TlsFacts } from './hosts.js'
import { type NodeFiles, nameOf, nodeFiles } from './node-files.js'
import { isNamed, makePrivate, modeOf, nodePlaces, ownersOf } from './places.js'

/** One output stream: what it can show, and a way to write to it. */
export interface Output {
  isTTY: boolean
  columns: number
  write(text: string): void
  /** The stream itself, for a spinner. */
  stream?: NodeJS.WriteStream
  /** Aborted with an `OutputEnded` once nothing more can be written. */
  ended?: AbortSignal
}

/** An output can no longer be written. */
export class OutputEnded extends Error {
  override name = 'OutputEnded'
  /** True if its reader left, as `head` does, which is no error. */
  readonly isReaderGone: boolean

  constructor(cause: NodeJS.ErrnoException) {
    super('The output cannot be written.', { cause })
    this.isReaderGone = ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(cause.code ?? '')
  }
}

/** The signal that stops a process. A closed terminal counts as SIGTERM. */
export type StopSignal = 'SIGINT' | 'SIGTERM'

/**
 * The environment of a command: streams, files, network, time. Only `bin.ts` takes it from the process. `stop` aborts by a
 * signal, or at the deadline of the run with its error.
 */
export interface Io extends InputFiles, NodeFiles, WrittenFiles {
  stdout: Output
  stderr: Output
  stdinIsTTY: boolean
  /** True if a folder has this name, also for a link to nothing, or if that cannot be known. */
  isNamed(path: string): boolean
  /** The users to whom a file belongs, the target of a link, and their folders; empty on Windows. */
  ownersOf(path: string): number[]
  /** The user of this process; undefined on Windows. */
  uid: number | undefined
  /** The permission bits of a file; on Windows 0o600. */
  modeOf(path: string): Promise<number>
  /** Remove the permissions of all other users. */
  makePrivate(path: string): Promise<void>
  /** Ask for a line on the terminal. Rejects with the reason of the signal. */
  ask(question: string, hidden: boolean): Promise<string>
  /** Run a command with this environment, on the streams of this process; `input` replaces its standard input. */
  spawn(command: string, args: string[], env: Record<string, string | undefined>, input?: string): ChildProcess
  /** The standard output of a command; undefined if it cannot be run, fails, or takes longer than five seconds. */
  capture(command: string, args: string[]): Promise<string | undefined>
  /** Aborted by a signal, with `'SIGINT'` or `'SIGTERM'` as its reason. */
  signal: AbortSignal
  /** Kill the process soon, if it has not ended by then: a thread that a call of the system blocks keeps it. */
  endHard(): void
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
  /** The disk and the processes for ledgers of uploads. Default: those of this machine. */
  environment?: Omit<BulkEnvironment, 'clock'>
  /** The disk of the cache of annotations. Default: that of this machine. */
  cacheDisk?: CacheDisk
}

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'execPath' | 'argv' | 'versions'> &
  Pick<NodeJS.Process, 'geteuid' | 'kill' | 'pid'>

export function realIo(process: Streams, cwd: string, stopping: Pick<Io, 'signal' | 'onSignal'>): Io {
  const at = (path: string) => resolve(cwd, path)
  const files = nodeFiles(cwd, stopping.signal, () => {
    if (process.stdin.isTTY) process.stderr.write('reading standard input; Ctrl-D ends it\n')
    return process.stdin
  })
  let stdout: Output | undefined
  let stderr: Output | undefined
  const places = nodePlaces(cwd)
  return {
    ...files,
    ...filesOn({ ...nodeEnvironment, clock: timers, places, temporary: tmpdir(), signal: stopping.signal }),
    writeTarget: (path) => places.writeTarget(path),
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
    isNamed: (path) => isNamed(at(path)),
    ownersOf: (path) => ownersOf(at(path)),
    uid: process.geteuid?.(),
    modeOf: (path) => modeOf(at(path)),
    makePrivate: (path) => makePrivate(at(path)),
    ask: async (question, hidden) => {
      const write = (text: string) => void process.stderr.write(text)
      const terminal = { input: process.stdin, write, signal: stopping.signal }
      return (await import('./prompt.js')).askLine(terminal, question, hidden)
    },
    spawn(command, args, env, input) {
      if (input === undefined) return spawn(command, args, { env, stdio: 'inherit', cwd })
      const child = spawn(command, args, { env, stdio: ['pipe', 'inherit', 'inherit'], cwd })
      // A pager may end before it has read everything.
      child.stdin.on('error', () => {}).end(input)
      return child
    },
    capture: (command, args) =>
      new Promise((resolve) =>
        execFile(command, args, { cwd, timeout: 5_000 }, (error, out) => resolve(error ? undefined : out)),
      ),
    lookup: async (host) => (await hosts()).addressesOf(host),
    reach: async (host, port, signal) => (await hosts()).reach(host, port, signal),
    tls: async (host, port, signal) => (await hosts()).tlsOf(host, port, signal),
    mayWrite: async (path) => (await hosts()).mayWrite(at(path)),
    endHard: () => void setTimeout(blockedMs).then(() => process.kill(process.pid, 'SIGKILL')),
    nodeVersion: process.versions.node,
    ...stopping,
    stop: stopping.signal,
    checkpoint: checkpoints(stopping.signal),
    self: { node: process.execPath, script: process.argv[1] ?? '' },
  }
}

/** The time to write out what was printed, in a process that a thread would keep, in milliseconds. */
const blockedMs = 300

/** End a process that something still keeps after so many milliseconds. The wait keeps nothing. */
export function endSoon(host: Pick<NodeJS.Process, 'exit'>, ms: number): void {
  void setTimeout(ms, undefined, { ref: false }).then(() => host.exit())
}

/** Time, for what waits without a client: most commands start without loading it. */
const timers = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  after(ms: number, act: () => void) {
    const timer = globalThis.setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}

const hosts = () => import('./hosts.js')

/** A stream of the process. `forced`: write as to a terminal of this width. */
function outputOf(stream: NodeJS.WriteStream, forced: string | undefined): Output {
  const end = new AbortController()
  stream.on('error', (error) => end.abort(new OutputEnded(error)))
  return {
    isTTY: stream.isTTY === true || Number(forced) > 0,
    columns: Number(forced) || stream.columns || 80,
    write: (text) => void stream.write(text),
    stream,
    ended: end.signal,
  }
}

/** The arguments of this process. Node loses the bytes that are not UTF-8; Linux keeps them, and no other system has any. */
export function argumentsOf({ argv }: Pick<NodeJS.Process, 'argv'>): string[] {
  const words = argv.slice(2)
  if (!words.some((word) => word.includes('\ufffd'))) return words
  try {
    const all = readFileSync('/proc/self/cmdline', 'latin1').split('\0').slice(0, -1)
    return all.slice(-words.length).map((word) => nameOf(Buffer.from(word, 'latin1')))
  } catch {
    return words
  }
}
