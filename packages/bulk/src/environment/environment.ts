import type { Clock } from '@svc/client'

/** An open file. Sizes and positions in bytes. */
export interface DiskFile {
  /** The present size. */
  size(): number
  /**
   * Read at most `length` bytes from `position` on into a buffer, from its `offset` on. Returns how many were read; 0 at the
   * end of the file.
   */
  read(buffer: Uint8Array, offset: number, length: number, position: number): number
  /** Write bytes from `offset` on to the end of the file. Returns how many were written, which may be fewer. */
  write(bytes: Uint8Array, offset: number): number
  /** Cut the file off after `size` bytes. */
  truncate(size: number): void
  /** Resolves when everything written until now survives a loss of power. */
  sync(): Promise<void>
  /** As `sync`, before it returns. */
  syncSync(): void
  /** Close the file. */
  close(): void
}

/** Write all bytes to the end of a file. */
export function writeAll(file: Pick<DiskFile, 'write'>, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += file.write(bytes, at)
}

/**
 * The operations on files that ledger and lock use; each throws an error with the system's `code`, such as ENOSPC. A test
 * that passes its own can fail or stop between any two of them.
 */
export interface Disk {
  /** The names in a folder. Throws ENOENT if it does not exist. */
  list(folder: string): string[]
  /** The text of a small file. */
  readText(path: string): string
  /** Create a file with a text, readable for its owner alone. Throws EEXIST if it exists. */
  create(path: string, text: string): void
  /** Write a text over the beginning of a file, in place. Throws ENOENT if the file does not exist. */
  overwrite(path: string, text: string): void
  /** Create a folder and its missing parents, by default for their owner alone. An existing folder stays as it is. */
  makeFolder(path: string, permissions?: number): void
  /** Rename a file, in place of the one that has the new name. */
  rename(from: string, to: string): void
  /** Give a file a second name. Throws EEXIST if a file has that name. */
  link(from: string, to: string): void
  /** Remove a file, if it exists. */
  remove(path: string): void
  /**
   * Open a file to `read` it, or to `append` to it, which creates a missing file; or create a `new` one, which throws EEXIST if
   * it exists. A file that is created is by default for its owner alone.
   */
  open(path: string, mode: 'read' | 'append' | 'new', permissions?: number): DiskFile
  /** Make the names in a folder survive a loss of power, where the system supports it. */
  syncFolder(folder: string): void
}

/** Remove a file whose presence harms nobody. */
export function removeQuietly(disk: Pick<Disk, 'remove'>, path: string): void {
  try {
    disk.remove(path)
  } catch {
    // The error before it, or the success, counts.
  }
}

/** Identifies a process, so that another one can find out whether it still runs. */
export interface Owner {
  /** The number of the process. */
  pid: number
  /** The name of the machine. */
  host: string
  /** The PID namespace; undefined if the system has none. */
  namespace?: string | undefined
  /** The id of the machine's installation; undefined if the system has none. */
  machine?: string | undefined
  /** The boot id of the machine; undefined if the system has none. */
  boot?: string | undefined
  /** When the process was started, in clock ticks since boot; undefined if the system does not show it. */
  started?: string | undefined
}

/** An instant that all processes of a machine can compare, whatever its wall clock says. */
export interface MachineTime {
  /** What it is counted from, such as a start of the machine: other instants are comparable only if this is the same. */
  since: string
  /** In milliseconds. */
  ms: number
}

/** The processes of the machine. */
export interface Host {
  /** This process. */
  self(): Owner
  /** The process with a number; undefined if there is none. `isDead`: it has ended, and its parent has not noticed. */
  process(pid: number): { started?: string | undefined; isDead: boolean } | undefined
  /** The present time, monotonic and shared by all processes. Default: not known. */
  time?(): MachineTime | undefined
}

/** Everything that a bulk upload touches besides the client, as arguments, so that a test can control all of it. */
export interface BulkEnvironment {
  /** Files. Default: `nodeDisk`. */
  disk: Disk
  /** Time. Default: `systemClock` of the client. */
  clock: Clock
  /** Processes. Default: `nodeHost`. */
  host: Host
  /** A new UUID. Default: `crypto.randomUUID`. */
  randomId(): string
  /** Resolves in a later turn of the event loop, so that answers and timers can act. Default: `setImmediate`. */
  turn(): Promise<void>
}
