import { basename, dirname } from 'node:path/posix'
import type { Disk, DiskFile } from '@svc/bulk'
import type { Choices } from './choices.js'
import type { Process } from './scheduler.js'

/** The content of a file, whatever its name is. */
interface Inode {
  /** As every process sees it. */
  bytes: Buffer
  /** What a loss of power certainly leaves. */
  synced: Buffer
  /** When it was last changed, by the clock of the process that changed it, in milliseconds since 1970. */
  changedAt: number
}

/** How a process uses a disk. */
interface Uses {
  process: Process
  now(): number
  act<T>(name: string, path: string, work: () => T): T
  change<T>(name: string, path: string, work: () => T): T
}

export const failure = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code, path })

/**
 * A disk with what POSIX promises and no more. A killed process loses nothing that it wrote. A loss of power may lose, cut
 * off or zero the bytes of a file since its last sync, and undo the creations, renames and removals in a folder since the
 * last sync of that folder, each by itself.
 */
export class SimulatedDisk {
  readonly #choices: Choices
  #folders = new Set<string>(['/'])
  #names = new Map<string, Inode>()
  #syncedNames = new Map<string, Inode>()
  /** Code of the error that the next writes and syncs fail with. */
  failsWith: 'ENOSPC' | 'EROFS' | 'EIO' | undefined

  constructor(choices: Choices) {
    this.#choices = choices
  }

  /** The files as they are, with their text. */
  get texts(): ReadonlyMap<string, string> {
    return new Map([...this.#names].map(([path, { bytes }]) => [path, bytes.toString()]))
  }

  /** Put a file there that survives a loss of power, such as an input. */
  place(path: string, content: string): void {
    const bytes = Buffer.from(content)
    const inode = { bytes, synced: bytes, changedAt: 0 }
    this.#makeFolder(dirname(path))
    this.#names.set(path, inode)
    this.#syncedNames.set(path, inode)
  }

  /** The bytes of a file and the time of its last change; undefined if there is no file. */
  fileAt(path: string): Readonly<Pick<Inode, 'bytes' | 'changedAt'>> | undefined {
    return this.#names.get(path)
  }

  isFolder(path: string): boolean {
    return this.#folders.has(path)
  }

  /** The names of the files and folders in a folder. Throws ENOENT if it does not exist. */
  namesIn(folder: string): string[] {
    if (!this.#folders.has(folder)) throw failure('ENOENT', folder)
    const paths = [...this.#names.keys(), ...this.#folders].filter((path) => path !== '/' && dirname(path) === folder)
    return paths.map((path) => basename(path))
  }

  #makeFolder(path: string): void {
    for (let folder = path; folder !== '/'; folder = dirname(folder)) this.#folders.add(folder)
  }

  /** The machine loses power. */
  losePower(): void {
    const names = new Map(this.#syncedNames)
    for (const path of new Set([...this.#names.keys(), ...names.keys()])) {
      const [now, then] = [this.#names.get(path), names.get(path)]
      if (now === then || this.#choices.chance(0.5)) continue
      if (now) names.set(path, now)
      else names.delete(path)
    }
    for (const inode of new Set(names.values())) inode.bytes = this.#leftOf(inode)
    for (const inode of new Set(names.values())) inode.synced = inode.bytes
    this.#names = names
    this.#syncedNames = new Map(names)
  }

  /** The bytes of a file after a loss of power. */
  #leftOf({ bytes, synced }: Inode): Buffer {
    if (bytes.equals(synced)) return bytes
    const isAppended = bytes.subarray(0, synced.length).equals(synced)
    if (!isAppended) return this.#choices.pick([synced, bytes])
    const written = bytes.subarray(synced.length)
    const kept = written.subarray(0, Math.floor((written.length * this.#choices.oneOf(9, 0.3)) / 8))
    return Buffer.concat([synced, kept])
  }

  /** The disk as a process uses it, whose clock says when a file changes. */
  of(process: Process, now: () => number): Disk {
    const act = <T>(name: string, path: string, work: () => T): T => process.now(`${name} ${path}`, work)
    const change = <T>(name: string, path: string, work: () => T): T =>
      act(name, path, () => {
        if (this.failsWith) throw failure(this.failsWith, path)
        return work()
      })
    const found = (path: string): Inode => {
      const inode = this.#names.get(path)
      if (!inode) throw failure('ENOENT', path)
      return inode
    }
    const created = (path: string): Inode => {
      if (!this.#folders.has(dirname(path))) throw failure('ENOENT', path)
      const inode = { bytes: Buffer.alloc(0), synced: Buffer.alloc(0), changedAt: now() }
      this.#names.set(path, inode)
      return inode
    }
    return {
      list: (folder) => act('list', folder, () => this.namesIn(folder)),
      readText: (path) => act('read', path, () => found(path).bytes.toString()),
      create: (path, text) =>
        change('create', path, () => {
          if (this.#names.has(path)) throw failure('EEXIST', path)
          created(path).bytes = Buffer.from(text)
        }),
      makeFolder: (path) => change('mkdir', path, () => this.#makeFolder(path)),
      rename: (from, to) =>
        change('rename', `${from} ${to}`, () => {
          this.#names.set(to, found(from))
          this.#names.delete(from)
        }),
      remove: (path) => change('remove', path, () => void this.#names.delete(path)),
      open: (path, mode) =>
        act(`open to ${mode}`, path, () => {
          const inode = mode === 'read' ? found(path) : (this.#names.get(path) ?? created(path))
          if (mode === 'replace') inode.bytes = Buffer.alloc(0)
          return this.#fileOf(inode, path, { process, now, act, change })
        }),
      syncFolder: (folder) =>
        act('sync folder', folder, () => {
          for (const path of new Set([...this.#names.keys(), ...this.#syncedNames.keys()])) {
            if (dirname(path) !== folder) continue
            const inode = this.#names.get(path)
            if (inode) this.#syncedNames.set(path, inode)
            else this.#syncedNames.delete(path)
          }
        }),
    }
  }

  #fileOf(inode: Inode, path: string, { process, now, act, change }: Uses): DiskFile {
    return {
      size: () => act('size of', path, () => inode.bytes.length),
      read: (buffer, offset, length, position) =>
        act('read', path, () => {
          const part = inode.bytes.subarray(position, position + length)
          buffer.set(part, offset)
          return part.length
        }),
      write: (bytes, offset) =>
        change('write to', path, () => {
          const part = bytes.subarray(offset)
          // The system may write less than it is given.
          const length = part.length > 1 && this.#choices.chance(0.02) ? part.length >> 1 : part.length
          inode.bytes = Buffer.concat([inode.bytes, part.subarray(0, length)])
          inode.changedAt = now()
          return length
        }),
      truncate: (size) =>
        change('truncate', path, () => {
          inode.bytes = inode.bytes.subarray(0, size)
        }),
      sync: () => {
        // What is written while it syncs may not be part of it.
        const { bytes } = inode
        return process.later(`sync ${path}`, () => {
          if (this.failsWith) throw failure(this.failsWith, path)
          inode.synced = bytes
        })
      },
      syncSync: () =>
        change('sync', path, () => {
          inode.synced = inode.bytes
        }),
      close: () => act('close', path, () => {}),
    }
  }
}
