import { link, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

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
  /** Whether it is for this user alone (0600). Default false: as open as the process makes its files. */
  isPrivate?: boolean
}

/** Each write is a round to another thread, so that parts of a few bytes go together. */
function* chunksOf(parts: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const part of parts) {
    chunk += part
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

const chunkLength = 256 * 1024

/**
 * Writes a file beside its place and then puts it there, so that nobody ever sees half of it. A link stays one, and a
 * device or pipe is written to.
 */
export async function writeWhole(
  path: string,
  parts: Iterable<string>,
  mayReplace: boolean,
  { isPrivate = false }: WriteOptions = {},
): Promise<void> {
  const { place, isThrough } = mayReplace ? await landingOf(path) : { place: path, isThrough: false }
  if (isThrough) return writeFile(place, chunksOf(parts), { flag: 'a' })
  const draft = join(dirname(place), `.${basename(place)}.${crypto.randomUUID()}`)
  try {
    const file = await open(draft, 'wx', isPrivate ? 0o600 : 0o666)
    try {
      for (const chunk of chunksOf(parts)) await file.writeFile(chunk)
      await file.sync()
    } finally {
      await file.close()
    }
    await (mayReplace ? rename(draft, place) : putNew(draft, place))
  } finally {
    await rm(draft, { force: true })
  }
}

/** Where a file that is to be replaced stands, behind links, and whether it is written to as it is. */
export interface Landing {
  place: string
  /** It is neither a file nor nothing, or open already, so that no file can take its place. */
  isThrough: boolean
}

export async function landingOf(path: string): Promise<Landing> {
  // What is open there already, as /dev/stderr: whoever opened it reads on where it is.
  if (/^\/(dev|proc)\//.test(path)) return { place: path, isThrough: true }
  const place = await realpath(path).catch(() => path)
  const isThrough = await stat(place).then(
    (found) => !found.isFile(),
    () => false,
  )
  return { place, isThrough }
}

/** Unlike a rename, a link never takes the place of a file that came in the meantime; but not every disk has links. */
const putNew = (draft: string, path: string): Promise<void> =>
  link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') throw error
    return rename(draft, path)
  })
