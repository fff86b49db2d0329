import { basename, dirname } from 'node:path/posix'
import type { Disk, DiskFile } from '@svc/bulk'
import type { Disk as CacheDisk } from '@svc/checks'
import type { Choices } from './choices.js'
import type { Process } from './scheduler.js'

/** The content of a file, whatever its name is. */
interface Inode {
  /** As every process sees it. */
  bytes: Buffer
  /** The bytes that a loss of power certainly leaves. */
  synced: Buffer
  /** The ranges that failed syncs gave up: later syncs succeed without them. */
  givenUp: readonly { from: number; to: number }[]
  /** When it was last changed, by the clock of the process that changed it, in milliseconds since 1970. */
  changedAt: number
}

/** The meaning of a name; undefined if there is none. */
type Entry = Inode | 'folder' | undefined

/** The kind of an operation on the disk, for the troubles that make it fail. */
type Act = 'read' | 'add' | 'open' | 'write' | 'remove' | 'sync'

/** The disk as a process uses it: for its ledger, its cache and its files. */
export type ProcessDisk = Disk & Omit<CacheDisk, 'place'>

/** How a disk may fail, for a time, and which operations then fail. */
const troubles = {
  /** Full: what is there can still be removed. */
  ENOSPC: ['add', 'write', 'sync'],
  /** Read-only, as after an error of the file system. */
  EROFS: ['add', 'open', 'write', 'remove', 'sync'],
  /** Broken, now and then. */
  EIO: ['read', 'add', 'open', 'write', 'remove', 'sync'],
} as const satisfies Record<string, readonly Act[]>

export type Trouble = keyof typeof troubles

export const failure = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code, path })

/**
 * A disk with what POSIX promises and no more. A killed process loses nothing that it wrote.
 *
 * A loss of power may undo what was written to a file since its last sync: lose it, cut it off at any byte, leave zeros, or
 * the bytes from before, in a part of it. It may undo what happened to the names in a folder since the last sync of that
 * folder, each name by itself: a rename may survive without the content of its file, one of its names without the other,
 * and a file may vanish with its folder. A read or a write may transfer less than it was asked for. After a sync that
 * failed, the bytes may be written, or not yet, or never, although later syncs succeed; processes may see them or not.
 *
 * ext4 as it is usually mounted does less of this. A rename is one step, and comes after the content of the file. The sync
 * of a new file makes its names and folders survive. Bytes without a sync are rather cut off than zero. After a failed
 * sync, processes see the bytes until the machine restarts (with btrfs, they do not). A schedule that fails here may so
 * need another file system, or one in a network.
 *
 * Not in the model: bytes of other files in place of what was not synced, and synced bytes that change.
 */
export class SimulatedDisk {
  readonly #choices: Choices
  #names = new Map<string, Inode | 'folder'>([
    ['/', 'folder'],
    ['/tmp', 'folder'],
  ])
  /** The earlier meanings of names since the last sync of their folder. */
  readonly #earlier = new Map<string, Entry[]>()
  /** The error that operations fail with at present. */
  failsWith: Trouble | undefined
  /** Called before each operation of a process, so that a world can let the disk fail. */
  beforeUse = (): void => {}
  /** How often an operation failed. */
  failures = 0

  constructor(choices: Choices) {
    this.#choices = choices
  }

  /** The files as they are, with their text. */
  get texts(): ReadonlyMap<string, string> {
    const files = [...this.#names].flatMap(([path, entry]) => (entry === 'folder' ? [] : [[path, entry] as const]))
    return new Map(files.map(([path, { bytes }]) => [path, bytes.toString()]))
  }

  /** Put a file there that survives a loss of power, such as an input. */
  place(path: string, content: string): void {
    const bytes = Buffer.from(content)
    for (let at = dirname(path); at !== '/'; at = dirname(at)) if (!this.isFolder(at)) this.#names.set(at, 'folder')
    this.#names.set(path, { bytes, synced: bytes, givenUp: [], changedAt: 0 })
  }

  /** The bytes of a file and the time of its last change; undefined if there is no file. */
  fileAt(path: string): Readonly<Pick<Inode, 'bytes' | 'changedAt'>> | undefined {
    const entry = this.#names.get(path)
    return entry === 'folder' ? undefined : entry
  }

  isFolder(path: string): boolean {
    return this.#names.get(path) === 'folder'
  }

  /** The names of the files and folders in a folder. Throws ENOENT if it does not exist. */
  namesIn(folder: string): string[] {
    if (!this.isFolder(folder)) throw failure('ENOENT', folder)
    return [...this.#names.keys()]
      .filter((path) => path !== '/' && dirname(path) === folder)
      .map((path) => basename(path))
  }

  /** The machine loses power. */
  losePower(): void {
    this.failsWith = undefined
    for (const [path, earlier] of this.#earlier) {
      const meanings = [this.#names.get(path), ...earlier]
      this.#mean(path, meanings[this.#choices.oneOf(meanings.length)])
    }
    this.#earlier.clear()
    const isThere = (path: string): boolean => path === '/' || (this.isFolder(dirname(path)) && isThere(dirname(path)))
    for (const path of this.#names.keys()) if (!isThere(path)) this.#names.delete(path)
    const inodes = new Set([...this.#names.values()].flatMap((entry) => (entry === 'folder' ? [] : entry)))
    for (const inode of inodes) {
      inode.bytes = inode.synced = this.#leftOf(inode)
      inode.givenUp = []
    }
  }

  #mean(path: string, entry: Entry): void {
    if (entry) this.#names.set(path, entry)
    else this.#names.delete(path)
  }

  /** Change the meaning of a name until its folder is synced. */
  #change(path: string, entry: Entry): void {
    const earlier = this.#earlier.get(path)
    if (earlier) earlier.push(this.#names.get(path))
    else this.#earlier.set(path, [this.#names.get(path)])
    this.#mean(path, entry)
  }

  /** The bytes of a file after a loss of power. */
  #leftOf({ bytes: seen, synced, givenUp }: Inode): Buffer {
    const bytes = withGaps(seen, givenUp)
    if (bytes.equals(synced)) return bytes
    const from = sameBytes(bytes, synced)
    const partOf = (length: number) => Math.ceil((length * this.#choices.oneOf(9, 0.3)) / 8)
    const longest = Math.max(bytes.length, synced.length)
    const size = longest - partOf(longest - from)
    const left = Buffer.concat([bytes, synced.subarray(bytes.length)]).subarray(0, size)
    const wrong = this.#choices.pick(['nothing', 'zeros', 'old bytes'] as const)
    if (wrong === 'nothing') return left
    const wrongFrom = from + partOf(size - from)
    const wrongTo = size - partOf(size - wrongFrom)
    left.fill(0, wrongFrom, wrongTo)
    if (wrong === 'old bytes') left.set(synced.subarray(wrongFrom, wrongTo), wrongFrom)
    return left
  }

  /** A sync succeeded that had begun with these bytes. */
  #synced(inode: Inode, bytes: Buffer): void {
    inode.synced = withGaps(bytes, inode.givenUp)
  }

  /** A sync failed that had begun with these bytes. */
  #syncFailed(inode: Inode, bytes: Buffer): void {
    const outcome = this.#choices.pick(['not yet', 'never', 'written', 'never, and not seen'] as const, 0.25)
    if (outcome === 'written') this.#synced(inode, bytes)
    if (outcome === 'never, and not seen') inode.bytes = inode.synced
    if (outcome === 'never')
      inode.givenUp = [...inode.givenUp, { from: sameBytes(bytes, inode.synced), to: bytes.length }]
  }

  /** Throws if the disk fails at this act. */
  #fail(act: Act | undefined, path: string): void {
    const code = this.failsWith
    if (!code || !act || !(troubles[code] as readonly Act[]).includes(act)) return
    // A full disk delays the error of some writes to the sync, and a broken one works now and then.
    if ((code === 'EIO' || act === 'sync') && this.#choices.chance(0.4)) return
    this.failures++
    throw failure(code, path)
  }

  /** The disk as a process uses it, whose clock says when a file changes. */
  of(process: Process, now: () => number): ProcessDisk {
    const use: Use = (act, name, path, work) =>
      process.now(`${name} ${path}`, () => {
        this.beforeUse()
        this.#fail(act, path)
        return work()
      })
    const found = (path: string): Inode => {
      const inode = this.#names.get(path)
      if (!inode || inode === 'folder') throw failure(inode ? 'EISDIR' : 'ENOENT', path)
      return inode
    }
    const created = (path: string): Inode => {
      if (!this.isFolder(dirname(path))) throw failure('ENOENT', path)
      this.#fail('add', path)
      const inode = { bytes: Buffer.alloc(0), synced: Buffer.alloc(0), givenUp: [], changedAt: now() }
      this.#change(path, inode)
      return inode
    }
    const fresh = (path: string): Inode => {
      if (this.#names.has(path)) throw failure('EEXIST', path)
      return created(path)
    }
    const endSync = (inode: Inode, path: string, bytes: Buffer) => {
      try {
        this.beforeUse()
        this.#fail('sync', path)
      } catch (error) {
        this.#syncFailed(inode, bytes)
        throw error
      }
      this.#synced(inode, bytes)
    }
    return {
      list: (folder) => use('read', 'list', folder, () => this.namesIn(folder)),
      readText: (path) => use('read', 'read', path, () => found(path).bytes.toString()),
      create: (path, text, { flush = false } = {}) =>
        use(undefined, 'create', path, () => {
          const inode = fresh(path)
          inode.bytes = Buffer.from(text)
          if (flush) process.now(`sync ${path}`, () => endSync(inode, path, inode.bytes))
        }),
      overwrite: (path, text) =>
        use('write', 'overwrite', path, () => {
          const inode = found(path)
          const bytes = Buffer.from(text)
          inode.bytes = Buffer.concat([bytes, inode.bytes.subarray(bytes.length)])
          inode.changedAt = now()
        }),
      makeFolder: (path) =>
        use(undefined, 'mkdir', path, () => {
          if (this.isFolder(path)) return
          this.#fail('add', path)
          const missing: string[] = []
          for (let at = path; !this.isFolder(at); at = dirname(at)) missing.unshift(at)
          for (const each of missing) this.#change(each, 'folder')
        }),
      rename: (from, to) =>
        use('add', 'rename', `${from} ${to}`, () => {
          this.#change(to, found(from))
          this.#change(from, undefined)
        }),
      link: (from, to) =>
        use('add', 'link', `${from} ${to}`, () => {
          if (this.#names.has(to)) throw failure('EEXIST', to)
          this.#change(to, found(from))
        }),
      remove: (path) =>
        use('remove', 'remove', path, () => {
          if (this.#names.has(path)) this.#change(path, undefined)
        }),
      open: (path, mode) =>
        use(mode === 'read' ? 'read' : 'open', `open to ${mode}`, path, () => {
          const inode =
            mode === 'new' ? fresh(path) : mode === 'read' || this.#names.has(path) ? found(path) : created(path)
          return this.#fileOf(inode, path, { process, now, use, endSync })
        }),
      syncFolder: (folder) =>
        use('sync', 'sync folder', folder, () => {
          for (const path of this.#earlier.keys()) if (dirname(path) === folder) this.#earlier.delete(path)
        }),
      facts: (path) =>
        use('read', 'facts of', path, () => {
          const entry = this.#names.get(path)
          if (!entry) return undefined
          const { bytes, changedAt } = entry === 'folder' ? { bytes: [], changedAt: 0 } : entry
          return { isFolder: entry === 'folder', size: bytes.length, changedAt, isOpen: false }
        }),
      makePrivate: () => {},
    }
  }

  #fileOf(inode: Inode, path: string, { process, now, use, endSync }: FileOptions): DiskFile {
    /** The system may transfer less than it is asked for. */
    const transferred = (length: number) => (length > 1 && this.#choices.chance(0.02) ? length >> 1 : length)
    return {
      size: () => use('read', 'size of', path, () => inode.bytes.length),
      read: (buffer, offset, length, position) =>
        use('read', 'read', path, () => {
          const part = inode.bytes.subarray(position, position + transferred(length))
          buffer.set(part, offset)
          return part.length
        }),
      write: (bytes, offset) =>
        use(undefined, 'write to', path, () => {
          const part = bytes.subarray(offset)
          const isFilling = this.failsWith === 'ENOSPC' && part.length > 1 && this.#choices.chance(0.4)
          if (!isFilling) this.#fail('write', path)
          const length = isFilling ? part.length >> 1 : transferred(part.length)
          inode.bytes = Buffer.concat([inode.bytes, part.subarray(0, length)])
          inode.changedAt = now()
          return length
        }),
      truncate: (size) => use('remove', 'truncate', path, () => cutOff(inode, size)),
      // Bytes that are written during a sync may not be part of it.
      sync: () => {
        const { bytes } = inode
        return process.later(`sync ${path}`, () => endSync(inode, path, bytes))
      },
      syncSync: () => process.now(`sync ${path}`, () => endSync(inode, path, inode.bytes)),
      close: () => process.now(`close ${path}`, () => {}),
    }
  }
}

interface FileOptions {
  process: Process
  now: () => number
  use: Use
  /** End a sync that began with these bytes. Throws if it fails. */
  endSync(inode: Inode, path: string, bytes: Buffer): void
}

/** An operation of a process: an effect that may fail. */
type Use = <T>(act: Act | undefined, name: string, path: string, work: () => T) => T

/** Cuts off a file and its `givenUp` ranges: a later sync includes the bytes that are written after the cut. */
function cutOff(inode: Inode, size: number): void {
  inode.bytes = inode.bytes.subarray(0, size)
  inode.givenUp = inode.givenUp.map(({ from, to }) => ({ from: Math.min(from, size), to: Math.min(to, size) }))
}

function withGaps(bytes: Buffer, gaps: Inode['givenUp']): Buffer {
  const copy = Buffer.from(bytes)
  for (const { from, to } of gaps) copy.fill(0, from, to)
  return copy
}

/** The number of bytes at the beginning that are equal. */
function sameBytes(one: Buffer, other: Buffer): number {
  const length = Math.min(one.length, other.length)
  for (let i = 0; i < length; i++) if (one[i] !== other[i]) return i
  return length
}
