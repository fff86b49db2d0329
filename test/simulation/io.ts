import { join, resolve } from 'node:path/posix'
import { type ExitCode, type Io, type Output, run } from '@svc/cli'
import { referenceKey } from '@svc/reference-server'
import { openStream } from '@svc/transcripts/containers'
import { filesOn, type Places } from '../../packages/cli/src/io/index.js'
import { failure } from './disk.js'
import type { ProcessEnvironment } from './machine.js'
import type { Stop } from './programs/program.js'
import { Killed } from './scheduler.js'
import type { Service } from './service.js'

/** The environment of a run of the command, besides its process. */
export interface CommandWorld {
  service: Service
  stop: Stop
  /** Variables besides those that name the service, its project and a key. */
  env?: Record<string, string>
  /** The parts of standard input. Default: none. */
  stdin?: readonly string[]
}

/** The exit code and the output of a run of the command. */
export interface CommandResult {
  code: ExitCode
  out: string
  err: string
  /** Standard output as JSON lines. */
  documents: readonly Record<string, unknown>[]
}

/** The working directory of every command. */
const workFolder = '/work'

/** Run the command in a process. An argument is a path, a flag or a word, as in a shell. */
export async function runCommand(
  own: ProcessEnvironment,
  argv: readonly string[],
  world: CommandWorld,
): Promise<CommandResult> {
  const written = { out: '', err: '' }
  own.process.now(`svc ${argv.join(' ')}`, () => {})
  const code = await run(argv, simulatedIo(own, world, written))
  return {
    code,
    ...written,
    get documents() {
      return written.out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
  }
}

/**
 * The environment of the command in a simulated process: every method is an effect, on the disk of its machine. Methods
 * are not bound to an object, because the command derives others from it. Terminals, child processes and sockets are
 * outside.
 */
export function simulatedIo(
  own: ProcessEnvironment,
  { service, stop, env, stdin = [] }: CommandWorld,
  written: { out: string; err: string },
): Io {
  const { process, machine, disk, clock, host, randomId } = own
  const fetch = service.fetchOf(process)
  const at = (path: string) => resolve(workFolder, path)
  const turn = async () => {
    await own.turn()
    stop.mayArrive()
  }
  const isFolder = (path: string) => machine.disk.isFolder(at(path))
  const isThere = (path: string) =>
    process.now(`look for ${at(path)}`, () => isFolder(path) || machine.disk.fileAt(at(path)) !== undefined)
  const kindOf = (path: string) => {
    const { isFolder } = disk.facts(at(path)) ?? fail('ENOENT', path)
    return isFolder ? 'directory' : 'file'
  }
  const bytesAt = (path: string): Buffer => {
    const file = disk.open(at(path), 'read')
    try {
      const bytes = Buffer.alloc(file.size())
      for (let end = 0; end < bytes.length; ) end += file.read(bytes, end, bytes.length - end, end)
      return bytes
    } finally {
      file.close()
    }
  }
  const places: Places = {
    resolve: at,
    writeTarget: async (path) => ({ place: at(path), isThrough: false }),
    writeThrough: outside,
    tryThrough: outside,
  }

  async function* stdinParts() {
    for (const part of stdin) {
      stop.mayArrive()
      yield await process.later('read standard input', () => new TextEncoder().encode(part))
    }
  }

  return {
    ...filesOn({ ...own, turn, places, temporary: '/tmp', signal: stop.signal }),
    ...places,
    env: {
      SVC_API_KEY: referenceKey,
      SVC_BASE_URL: service.server.baseUrl,
      SVC_PUBLIC_BASE_URL: service.server.publicBaseUrl,
      SVC_PROJECT: service.project,
      SVC_STATE_DIR: '/state',
      SVC_CACHE_DIR: '/cache',
      ...env,
    },
    stdout: outputOf(process, 'out', written),
    stderr: outputOf(process, 'err', written),
    stdinIsTTY: false,
    openStdin: (keepBytes) => openStream(stdinParts(), keepBytes),
    async readStdin() {
      const parts: Uint8Array[] = []
      for await (const part of stdinParts()) parts.push(part)
      return Buffer.concat(parts)
    },
    openFile: async (path) => ({ files: [{ chunks: () => [bytesAt(path)] }], left: [] }),
    readFile: async (path) => bytesAt(path),
    async readEnds(path, bytes) {
      const whole = bytesAt(path)
      return { head: whole.subarray(0, bytes), tail: whole.subarray(-bytes), size: whole.length, modified: 0 }
    },
    readDirectory: async (path) =>
      disk.list(at(path)).map((name) => ({ name, kind: isFolder(join(path, name)) ? 'directory' : 'file' }) as const),
    isThere,
    isNamed: isThere,
    ownersOf: () => [],
    uid: undefined,
    endHard: () => {},
    kindOf: async (path) => kindOf(path),
    async realPath(path) {
      kindOf(path)
      return at(path)
    },
    linkAt: async () => undefined,
    fileId: (path) => (isThere(path) && !isFolder(path) ? at(path) : undefined),
    modeOf: async () => 0o600,
    makePrivate: async () => {},
    mayWrite: async () => true,
    ask: outside,
    spawn: outside,
    capture: async () => undefined,
    lookup: outside,
    reach: outside,
    tls: outside,
    signal: stop.signal,
    onSignal: () => () => {},
    stop: stop.signal,
    async checkpoint() {
      await turn()
      stop.signal.throwIfAborted()
    },
    nodeVersion: '20.19.0',
    self: { node: 'node', script: 'svc' },
    fetch(input, init) {
      stop.mayArrive()
      return fetch(input, init)
    },
    clock,
    environment: { disk, host, randomId, turn },
    cacheDisk: { ...disk, place: async (path) => at(path) },
  }
}

/** A pipe. Text is printed whole: `write` of a process returns when the system has it. */
function outputOf(
  process: ProcessEnvironment['process'],
  name: 'out' | 'err',
  written: Record<string, string>,
): Output {
  return {
    isTTY: false,
    columns: 80,
    write(text) {
      try {
        process.now(`${name === 'out' ? 'print' : 'report'} ${JSON.stringify(text.slice(0, 120))}`, () => {
          written[name] += text
        })
      } catch (error) {
        // Listeners to events print, and there nobody catches it.
        if (!(error instanceof Killed)) throw error
      }
    },
  }
}

function fail(code: string, path: string): never {
  throw failure(code, path)
}

function outside(): never {
  throw new Error('This part of the environment is outside of the simulation.')
}
