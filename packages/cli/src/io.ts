import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Clock, Fetch } from '@svc/client'

/** One output stream: what it can show, and a way to write to it. */
export interface Output {
  isTTY: boolean
  columns: number
  write(text: string): void
  /** The stream itself, where there is one: only a spinner needs it. */
  stream?: NodeJS.WriteStream
}

/** What a path is, as far as reading transcripts from it is concerned. */
export type PathKind = 'file' | 'directory'

/** Everything the command touches of the world, as one value; only `bin.ts` takes it from the process. */
export interface Io {
  env: Record<string, string | undefined>
  stdout: Output
  stderr: Output
  /** The text of standard input. */
  readStdin(): Promise<string>
  /** The bytes of a file; paths are relative to the working directory. */
  readFile(path: string): Promise<Uint8Array>
  /** The names in a directory, hidden ones included, each with what it is; links are not followed. */
  readDirectory(path: string): Promise<{ name: string; kind: PathKind | 'other' }[]>
  kindOf(path: string): Promise<PathKind>
  /** Runs a command with this environment, on this command's own streams. */
  spawn(command: string, args: string[], env: Record<string, string | undefined>): ChildProcess
  /** Aborted with `'SIGINT'` or `'SIGTERM'` as its reason when the process is told to stop. */
  signal: AbortSignal
  /** How `svc` was started: the program and the script, so that a child can start it again. */
  self: { node: string; script: string }
  /** What sends requests and tells time; the client's own defaults where not given. */
  fetch?: Fetch
  clock?: Clock
}

type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'execPath' | 'argv'>

/** The world of a process. */
export function realIo(process: Streams, signal: AbortSignal, cwd: string): Io {
  const at = (path: string) => resolve(cwd, path)
  return {
    env: process.env,
    stdout: outputOf(process.stdout, process.env.SVC_FORCE_TTY),
    stderr: outputOf(process.stderr, undefined),
    async readStdin() {
      const chunks: Uint8Array[] = []
      for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
      return Buffer.concat(chunks).toString('utf8')
    },
    readFile: (path) => readFile(at(path)),
    async readDirectory(path) {
      const entries = await readdir(at(path), { withFileTypes: true })
      return entries.map((entry) => ({
        name: entry.name,
        kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'other',
      }))
    },
    kindOf: async (path) => ((await stat(at(path))).isDirectory() ? 'directory' : 'file'),
    spawn: (command, args, env) => spawn(command, args, { env, stdio: 'inherit', cwd }),
    signal,
    self: { node: process.execPath, script: process.argv[1] ?? '' },
  }
}

/** `forced` is a width: what is written then is what a terminal that wide would be sent. */
function outputOf(stream: NodeJS.WriteStream, forced: string | undefined): Output {
  return {
    isTTY: stream.isTTY === true || Number(forced) > 0,
    columns: Number(forced) || stream.columns || 80,
    write: (text) => void stream.write(text),
    stream,
  }
}
