import { chmod, link, lstat, mkdir, open, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { platform, tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, parse, sep } from 'node:path'

/** The beginning and the end of a file, which are the same bytes where it is short. */
export interface Ends {
  head: Uint8Array
  tail: Uint8Array
  /** Of the whole file, in bytes. */
  size: number
}

/** The first and the last so many bytes of a file. */
export async function endsOf(path: string, bytes: number): Promise<Ends> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const read = async (position: number) => {
      const { buffer, bytesRead } = await file.read(new Uint8Array(bytes), 0, bytes, position)
      return buffer.subarray(0, bytesRead)
    }
    const head = await read(0)
    return { head, tail: size > bytes ? await read(size - bytes) : head, size }
  } finally {
    await file.close()
  }
}

/** How a file is written. */
export interface WriteOptions {
  /**
   * Whether it is for this user alone (0600). Default false: as open as the process makes its files, and no more open
   * than the file that it replaces.
   */
  isPrivate?: boolean
}

/** What is written, part after part; where a part cannot be made, nothing is. */
export type Parts = Iterable<string> | AsyncIterable<string>

/** Each write is a round to another thread, so that parts of a few bytes go together. */
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
 * Write a file beside its place and then put it there, so that nobody ever sees half of it. A link stays one, and a
 * device or pipe is written to. Rejects with the system's code, or with a reason as its `code`: a link in a sticky folder
 * that others can write to is not followed, since one of them may have put it there.
 */
export async function writeWhole(
  path: string,
  parts: Parts,
  mayReplace: boolean,
  { isPrivate = false }: WriteOptions = {},
): Promise<void> {
  const { place, isThrough, mode = 0o666 } = await writeTargetOf(path, mayReplace)
  if (isThrough) return writeFile(place, chunksOf(parts), { flag: 'a' })
  const draft = join(dirname(place), `.${basename(place)}.${crypto.randomUUID()}`)
  try {
    const file = await open(draft, 'wx', isPrivate ? 0o600 : mode)
    try {
      for await (const chunk of chunksOf(parts)) await file.writeFile(chunk)
      await file.sync()
    } finally {
      await file.close()
    }
    await (mayReplace ? rename(draft, place) : putNew(draft, place))
  } finally {
    await rm(draft, { force: true })
  }
}

/** A file of this user alone (0600), in the system's folder for temporary files, that is gone when it is closed. */
export interface TemporaryFile {
  append(text: string): Promise<void>
  /** Everything that was appended, in parts. */
  read(): AsyncIterable<string>
  close(): Promise<void>
}

/** Make a temporary file, which nobody else may read and nobody has to take away. */
export async function makeTemporary(): Promise<TemporaryFile> {
  const path = join(tmpdir(), `svc-${crypto.randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  // Windows keeps the name of an open file, so that it is taken away in the end there.
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

/** Where a file that is to be written stands, behind links, and whether it is written to as it is. */
export interface WriteTarget {
  place: string
  /** It is neither a file nor nothing, or open already, so that no file can take its place. */
  isThrough: boolean
  /** The permission bits of the file that is there. */
  mode?: number
}

/** Finds where a path leads; a link at the path itself is followed only where it may be replaced. */
export async function writeTargetOf(path: string, mayReplace = true): Promise<WriteTarget> {
  // What is open there already, as /dev/stderr: whoever opened it reads on where it is.
  if (/^\/(dev\/(?!shm\/)|proc\/)/.test(path)) return { place: path, isThrough: true }
  if (!mayReplace) return { place: join(await behindLinks(dirname(path)), basename(path)), isThrough: false }
  const place = await behindLinks(path)
  const found = await stat(place).catch(() => undefined)
  if (!found) return { place, isThrough: false }
  return { place, isThrough: !found.isFile(), mode: found.mode & 0o666 }
}

/** Follows every link of an absolute path, but for those that somebody else may have put there. */
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

/** As many as Linux follows. */
const mostLinks = 40

/** Whether a folder is one like /tmp: others can put files there, and only their owners can take them away. */
async function isShared(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  return (mode & 0o1000) !== 0 && (mode & 0o022) !== 0
}

const refusal = (code: string): Error => Object.assign(new Error(code), { code })

/** Unlike a rename, a link never takes the place of a file that came in the meantime; but not every disk has links. */
const putNew = (draft: string, path: string): Promise<void> =>
  link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') throw error
    return rename(draft, path)
  })

/**
 * Makes a folder, with those above it that are missing, for this user alone unless the mode says otherwise. Step by step, since Node's own way tries
 * again for ever where a folder that is there takes no other, as `/proc` does.
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await makeOne(path, mode)
  } catch (error) {
    const above = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error
    await makeFolder(above, mode)
    await makeOne(path, mode)
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    )
    if (!isThere) throw error
  }
}

/** The permission bits of a file or folder; on Windows, where they mean nothing, 0o600. */
export const modeOf = async (path: string): Promise<number> =>
  platform() === 'win32' ? 0o600 : (await stat(path)).mode & 0o777

/** Takes from everybody else what they may do with a file. */
export const makePrivate = async (path: string): Promise<void> => chmod(path, (await modeOf(path)) & 0o700)
