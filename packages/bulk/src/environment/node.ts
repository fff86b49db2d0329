import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { hrtime, kill, pid } from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { BulkEnvironment, Disk, DiskFile, Host } from './environment.js'

const flags = { read: 'r', append: 'a+', new: 'wx+' } as const
const syncData = promisify(fdatasync)

function openFile(path: string, mode: keyof typeof flags, permissions = 0o600): DiskFile {
  const fd = openSync(path, flags[mode], permissions)
  return {
    size: () => fstatSync(fd).size,
    read: (buffer, offset, length, position) => readSync(fd, buffer, offset, length, position),
    write: (bytes, offset) => writeSync(fd, bytes, offset),
    truncate: (size) => ftruncateSync(fd, size),
    sync: () => syncData(fd),
    syncSync: () => fsyncSync(fd),
    close: () => closeSync(fd),
  }
}

function overwriteFile(path: string, text: string): void {
  const fd = openSync(path, 'r+')
  try {
    writeSync(fd, text, 0)
  } finally {
    // Other clients of a network file system see the change from here on.
    closeSync(fd)
  }
}

/**
 * Create a folder and its parents. `mkdir` with `recursive` does not end in folders such as `/proc` that allow no new ones.
 *
 * @param mode the permission bits of new folders; default: for this user alone
 */
export function makeFolder(path: string, mode = 0o700): void {
  const above = dirname(path)
  try {
    makeOne(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error
    makeFolder(above, mode)
    makeOne(path, mode)
  }
}

/** Another process may make it at the same time. */
function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/**
 * Make the names in a folder durable: that of a new file is on disk only after this. Not every system supports it. Throws
 * an error of the disk.
 */
export function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    // Else the system syncs it in its own time.
    if (['EIO', 'ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** The disk of the machine, through `node:fs`. */
export const nodeDisk: Disk = {
  list: (folder) => readdirSync(folder),
  readText: (path) => readFileSync(path, 'utf8'),
  create: (path, text) => writeFileSync(path, text, { mode: 0o600, flag: 'wx' }),
  overwrite: overwriteFile,
  makeFolder,
  rename: renameSync,
  link: linkSync,
  remove: (path) => rmSync(path, { force: true }),
  open: openFile,
  syncFolder,
}

/** The processes of the machine: from `/proc` where there is one, else by number alone. */
export const nodeHost: Host = {
  self: () => ({
    pid,
    host: hostname(),
    namespace: orNone(() => readlinkSync('/proc/self/ns/pid')),
    machine: read('/etc/machine-id') || undefined,
    boot: read('/proc/sys/kernel/random/boot_id'),
    started: statOf(pid)?.started,
  }),
  process: (number) => (isThere(number) ? (statOf(number) ?? { isDead: false }) : undefined),
  time() {
    const boot = read('/proc/sys/kernel/random/boot_id')
    // A container may have a monotonic clock of its own.
    const clock = orNone(() => readlinkSync('/proc/self/ns/time'))
    return boot && clock ? { since: `${boot} ${clock}`, ms: Number(hrtime.bigint() / 1_000_000n) } : undefined
  },
}

function isThere(number: number): boolean {
  try {
    kill(number, 0)
    return true
  } catch (error) {
    // EPERM: it runs as another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Fields 3 and 22 of `/proc/PID/stat`, after the name in parentheses, which may hold any character. */
function statOf(number: number): { started: string | undefined; isDead: boolean } | undefined {
  const stat = read(`/proc/${number}/stat`)
  if (stat === undefined) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { started: fields[19], isDead: fields[0] === 'Z' || fields[0] === 'X' }
}

const read = (path: string): string | undefined => orNone(() => readFileSync(path, 'utf8').trim())

function orNone(get: () => string): string | undefined {
  try {
    return get()
  } catch {
    return undefined
  }
}

/** All but the clock, so that what only locks a file loads no client. */
export const nodeEnvironment: Omit<BulkEnvironment, 'clock'> = {
  disk: nodeDisk,
  host: nodeHost,
  randomId: () => randomUUID(),
  turn: () => setImmediate(),
}
