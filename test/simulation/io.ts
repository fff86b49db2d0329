import { basename, dirname, join, resolve } from 'node:path/posix'
import type { DiskFile } from '@svc/bulk'
import { claim } from '@svc/bulk/node'
import { type ExitCode, type Io, type Output, run } from '@svc/cli'
import { referenceKey } from '@svc/reference-server'
import { openStream } from '@svc/transcripts/containers'
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
  const { disk: files } = machine
  const fetch = service.fetchOf(process)
  const at = (path: string) => resolve(workFolder, path)
  const turn = async () => {
    await own.turn()
    stop.mayArrive()
  }
  const look = <T>(what: string, path: string, act: (place: string) => T): T =>
    process.now(`${what} ${at(path)}`, () => act(at(path)))
  const bytesAt = (path: string): Buffer => {
    const found = files.fileAt(path)
    if (!found) throw failure(files.isFolder(path) ? 'EISDIR' : 'ENOENT', path)
    return found.bytes
  }
  const kindAt = (path: string) => {
    if (files.isFolder(path)) return 'directory'
    bytesAt(path)
    return 'file'
  }

  async function* stdinParts() {
    for (const part of stdin) {
      stop.mayArrive()
      yield await process.later('read standard input', () => new TextEncoder().encode(part))
    }
  }

  const writeWhole: Io['writeFile'] = async (path, parts, mayReplace) => {
    const place = at(path)
    const draft = join(dirname(place), `.${basename(place)}.${host.self().pid}.${randomId()}`)
    try {
      const file = disk.open(draft, 'replace')
      try {
        for await (const part of parts) writeAll(file, part)
        await file.sync()
      } finally {
        file.close()
      }
      if (!mayReplace && files.fileAt(place)) throw failure('EEXIST', place)
      disk.rename(draft, place)
      disk.syncFolder(dirname(place))
    } finally {
      disk.remove(draft)
    }
  }

  return {
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
    async openFile(path) {
      look('open', path, bytesAt)
      return { files: [{ chunks: () => [look('read', path, bytesAt)] }], left: [] }
    },
    readFile: async (path) => look('read', path, bytesAt),
    async readEnds(path, bytes) {
      const whole = look('read the ends of', path, bytesAt)
      return { head: whole.subarray(0, bytes), tail: whole.subarray(-bytes), size: whole.length, modified: 0 }
    },
    readDirectory: async (path) =>
      look('list', path, (place) =>
        files.namesIn(place).map((name) => ({ name, kind: kindAt(join(place, name)) }) as const),
      ),
    isThere: (path) => look('look for', path, (place) => files.isFolder(place) || files.fileAt(place) !== undefined),
    isNamed: (path) => look('look for', path, (place) => files.isFolder(place) || files.fileAt(place) !== undefined),
    ownersOf: () => [],
    uid: undefined,
    endHard: () => {},
    kindOf: async (path) => look('kind of', path, kindAt),
    realPath: async (path) =>
      look('real path of', path, (place) => {
        kindAt(place)
        return place
      }),
    linkAt: async () => undefined,
    fileId: (path) => look('id of', path, (place) => (files.fileAt(place) ? place : undefined)),
    resolve: at,
    writeTarget: async (path) => ({ place: at(path), isThrough: false }),
    writeFile: writeWhole,
    async writePrivate(path, text) {
      disk.makeFolder(dirname(at(path)))
      await writeWhole(path, [text], true)
    },
    async makeTemporary() {
      const parts: string[] = []
      return {
        append: async (text) => process.now('append to a temporary file', () => void parts.push(text)),
        async *read() {
          yield* parts
        },
        close: async () => {},
      }
    },
    async tryWrite(path) {
      let folder = dirname(at(path))
      while (!files.isFolder(folder)) folder = dirname(folder)
      const draft = join(folder, `.svc.${randomId()}`)
      try {
        const file = disk.open(draft, 'replace')
        writeAll(file, 'x'.repeat(4096))
        await file.sync()
        file.close()
      } finally {
        disk.remove(draft)
      }
    },
    removeFile: async (path) => disk.remove(at(path)),
    async appendFile(path, text) {
      const file = disk.open(at(path), 'append')
      writeAll(file, text)
      file.close()
    },
    makeFolder: async (path) => disk.makeFolder(at(path)),
    modeOf: async (path) => look('mode of', path, () => 0o600),
    makePrivate: async () => {},
    mayWrite: async () => true,
    async lock(path) {
      const place = at(path)
      disk.makeFolder(dirname(place))
      for (const until = clock.monotonic() + 10_000; ; ) {
        stop.signal.throwIfAborted()
        const wanted = { ledger: basename(place), at: new Date(clock.now()).toISOString() }
        const claimed = await claim(dirname(place), basename(place), wanted, own)
        if ('release' in claimed) return claimed.release
        if (clock.monotonic() > until) throw failure('EBUSY', place)
        await new Promise<void>((resume) => clock.after(5 + 45 * clock.random(), resume))
      }
    },
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
    cacheDisk: {
      place: async (path) => at(path),
      makeFolder: disk.makeFolder,
      names: disk.list,
      read: disk.readText,
      write: disk.create,
      rename: disk.rename,
      remove: disk.remove,
      facts: (path) =>
        look('facts of', path, (place) => {
          const found = files.fileAt(place)
          if (!found && !files.isFolder(place)) return undefined
          const { bytes, changedAt } = found ?? { bytes: [], changedAt: 0 }
          return { isFolder: !found, size: bytes.length, changedAt, isOpen: false }
        }),
      makePrivate: () => {},
    },
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

function writeAll(file: DiskFile, text: string): void {
  const bytes = Buffer.from(text)
  for (let offset = 0; offset < bytes.length; ) offset += file.write(bytes, offset)
}

function outside(): never {
  throw new Error('This part of the environment is outside of the simulation.')
}
