import { closeSync, constants, lstatSync, openSync, realpathSync, statSync, writeSync } from 'node:fs'
import {
  access,
  chmod,
  link,
  lstat,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { platform, tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, parse, sep } from 'node:path'
import { hasEnded, ownerMark, syncFolder } from '@svc/bulk/node'

export interface WriteOptions {
  /** For this user alone (0600). Default: false, the mode of the replaced file or of the process. */
  isPrivate?: boolean
}

/** The content of a file, part by part. If a part throws, nothing is written. */
export type Parts = Iterable<string> | AsyncIterable<string>

/** Joins small parts, because each write is a round trip to another thread. */
async function* chunksOf(parts: Parts): AsyncGenerator<string> {
  let chunk = ''
  for await (const part of parts) {
    chunk += part
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

const chunkLength = 256 * 1024

/**
 * Write a temporary file and rename it, so that nobody sees half of it. Links are followed; devices and pipes are written
 * to directly. Rejects with the system's error code, or with a reason as its `code`: a link in a sticky folder that others
 * can write to is not followed, because another user may have created it.
 */
export async function writeWhole(
  path: string,
  parts: Parts,
  mayReplace: boolean,
  { isPrivate = false }: WriteOptions = {},
): Promise<void> {
  const { place, isThrough, mode = 0o666 } = await writeTargetOf(path, mayReplace)
  if (isThrough) return writeFile(place, chunksOf(parts), { flag: 'a' })
  const folder = dirname(place)
  await removeLeftDrafts(folder, basename(place))
  const draft = join(folder, `.${basename(place)}.${ownerMark()}.${crypto.randomUUID()}`)
  try {
    const file = await open(draft, 'wx', isPrivate ? 0o600 : mode)
    try {
      for await (const chunk of chunksOf(parts)) await file.writeFile(chunk)
      await file.sync()
    } finally {
      await file.close()
    }
    await (mayReplace ? rename(draft, place) : putNew(draft, place))
    syncFolder(folder)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Find out whether a file can be written, before the work that fills it: write a block beside it, and remove the block. A
 * missing folder counts as its nearest existing parent. A device is asked to write nothing. Rejects with the system's error
 * code, such as ENOSPC.
 */
export async function tryWrite(path: string): Promise<void> {
  const { place, isThrough } = await writeTargetOf(path)
  if (!isThrough) return tryBlockIn(dirname(place))
  await access(place, constants.W_OK)
  if (!(await stat(place)).isCharacterDevice()) return
  const device = openSync(place, 'w')
  try {
    writeSync(device, new Uint8Array())
  } finally {
    closeSync(device)
  }
}

async function tryBlockIn(folder: string): Promise<void> {
  const draft = join(folder, `.svc.${crypto.randomUUID()}`)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(crypto.getRandomValues(new Uint8Array(4096)))
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error
    return tryBlockIn(dirname(folder))
  } finally {
    await rm(draft, { force: true })
  }
}

/** Remove the drafts of a file that killed processes left. */
async function removeLeftDrafts(folder: string, name: string): Promise<void> {
  const start = `.${name}.`
  // A folder that may be written but not read keeps them.
  const names = await readdir(folder).catch(() => [])
  for (const each of names) {
    const [mark = '', id, ...more] = each.startsWith(start) ? each.slice(start.length).split('.') : []
    if (id !== undefined && more.length === 0 && hasEnded(mark)) await rm(join(folder, each), { force: true })
  }
}

/** A private file (0600) in the system's temporary folder. It is removed when it is closed. */
export interface TemporaryFile {
  append(text: string): Promise<void>
  read(): AsyncIterable<string>
  close(): Promise<void>
}

export async function makeTemporary(): Promise<TemporaryFile> {
  const path = join(tmpdir(), `svc-${crypto.randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  // Windows cannot remove an open file, so there it is removed on close.
  const isGone = await rm(path).then(
    () => true,
    () => false,
  )
  return {
    append: (text) => file.appendFile(text),
    read: () => file.createReadStream({ start: 0, autoClose: false, encoding: 'utf8', highWaterMark: chunkLength }),
    async close() {
      await file.close()
      if (!isGone) await rm(path, { force: true })
    },
  }
}

/** The place that a write goes to, behind links. */
export interface WriteTarget {
  place: string
  /** A device, a pipe or an open file: it is written to directly and not replaced. */
  isThrough: boolean
  /** The permission bits of the existing file. */
  mode?: number
}

/** Resolve the place that a write to a path goes to. A link at the path is followed only if `mayReplace`. */
export async function writeTargetOf(path: string, mayReplace = true): Promise<WriteTarget> {
  // Open files of a process, such as /dev/stderr.
  if (/^\/(dev\/(?!shm\/)|proc\/)/.test(path)) return { place: path, isThrough: true }
  if (!mayReplace) return { place: join(await behindLinks(dirname(path)), basename(path)), isThrough: false }
  const place = await behindLinks(path)
  const stats = await stat(place).catch(() => undefined)
  if (!stats) return { place, isThrough: false }
  return { place, isThrough: !stats.isFile(), mode: stats.mode & 0o666 }
}

/** Follow every link of an absolute path. Refuses links that another user may have created. */
async function behindLinks(path: string): Promise<string> {
  // Windows has no sticky folders.
  if (platform() === 'win32') return realpath(path).catch(() => path)
  let place = parse(path).root
  let links = 0
  const steps = path.split(sep)
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const next = join(place, step)
    const isLink = await lstat(next).then(
      (found) => found.isSymbolicLink(),
      () => false,
    )
    if (isLink) {
      if (++links > mostLinks) throw refusal('ELOOP')
      if (await isShared(place)) throw refusal('a link in a folder that others can write to is not followed')
      const target = await readlink(next)
      if (isAbsolute(target)) place = parse(target).root
      steps.unshift(...target.split(sep))
    } else place = next
  }
  return place
}

/** The limit of Linux. */
const mostLinks = 40

/** True if a folder is sticky and writable for others, like /tmp. */
async function isShared(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  return (mode & 0o1000) !== 0 && (mode & 0o022) !== 0
}

const refusal = (code: string): Error => Object.assign(new Error(code), { code })

/** Unlike a rename, a hard link never replaces a file. Not every file system has them. */
const putNew = (draft: string, path: string): Promise<void> =>
  link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') throw error
    return rename(draft, path)
  })

export const modeOf = async (path: string): Promise<number> =>
  platform() === 'win32' ? 0o600 : (await stat(path)).mode & 0o777

export const makePrivate = async (path: string): Promise<void> => chmod(path, (await modeOf(path)) & 0o700)

export function isNamed(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
  }
}

export const ownersOf = (path: string): number[] =>
  platform() === 'win32' ? [] : [path, dirname(path), dirname(realpathSync(path))].map((each) => statSync(each).uid)
