import { closeSync, openSync, type PathLike, readSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { ContainerError, type ContainerLimits } from '../container-limits.js'
import type { Opened } from './opened-file.js'
import { packingOf, unpackFile } from './unpack.js'

const partBytes = 1 << 18

/** Loaded only if there is a zip archive. */
const loadZip = () => import('./zip.js')

/** Loaded only if there is a Parquet file. */
const loadParquet = () => import('./parquet-file.js')

/** Loaded only if there is a SQLite database. */
const loadSqlite = () => import('../sqlite/index.js')

/**
 * Open a file: plain, packed by gzip or zstd, a Parquet file, a SQLite database of sessions, or a zip archive of several files. The members of an export, such as a
 * ChatGPT data export or an Inspect log, are one file.
 *
 * @throws {ContainerError} when an archive is damaged, holds no file that may be a transcript, or exceeds `limits`; errors
 *   in the content of a member are thrown while the member is read
 */
export async function openFile(path: PathLike, limits?: ContainerLimits): Promise<Opened> {
  const stats = statSync(path)
  // A pipe can be read only once.
  if (!stats.isFile()) return openBytes(await readFile(path), limits)
  const first = firstPart(path, Math.min(stats.size, partBytes))
  const isWhole = first.length === stats.size && stats.size < partBytes
  // Do not read a small file twice.
  let ready: Uint8Array | undefined = isWhole ? first : undefined
  const stream = () => {
    const parts = ready ? [ready] : partsOf(path)
    ready = undefined
    return parts
  }
  if (isSqlite(first)) {
    const sessions = await (await loadSqlite()).sqliteSessions(path.toString())
    if (sessions && sessions.length > 0) return { files: sessions, left: [] }
  }
  const packing = packingOf(first)
  if (packing === 'zip') return (await loadZip()).openZipFile(path, limits)
  if (packing === 'parquet') return { files: [(await loadParquet()).parquetAt(path, stats.size, limits)], left: [] }
  return openPacked(first, stream, limits)
}

/** True for a SQLite database. */
const isSqlite = (head: Uint8Array) => new TextDecoder('latin1').decode(head.subarray(0, 16)) === 'SQLite format 3\0'

/**
 * `openFile` for bytes in memory, such as those of standard input.
 *
 * @throws {ContainerError} as `openFile` does
 */
export async function openBytes(bytes: Uint8Array, limits?: ContainerLimits): Promise<Opened> {
  async function* stream() {
    for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes)
  }
  const packing = packingOf(bytes)
  if (packing === 'parquet') return { files: [(await loadParquet()).parquetIn(async () => bytes, limits)], left: [] }
  if (packing !== 'zip') return openPacked(bytes, stream, limits)
  return (await loadZip()).openZipBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), limits)
}

function openPacked(
  head: Uint8Array,
  stream: () => AsyncIterable<Uint8Array> | Uint8Array[],
  limits: ContainerLimits | undefined,
): Opened {
  const packing = packingOf(head)
  const isPacked = packing === 'gzip' || packing === 'zstd'
  return { files: [{ chunks: isPacked ? () => unpackFile(packing, stream(), limits) : stream }], left: [] }
}

/**
 * `openFile` for a stream, such as standard input. A zip archive or a Parquet file is read into memory; other files are read as they
 * arrive. A second call of `chunks` returns the bytes that have arrived so far, and fails after more than `keepBytes`
 * (default: no limit).
 *
 * @throws {ContainerError} as `openFile` does
 */
export async function openStream(
  parts: AsyncIterable<Uint8Array>,
  keepBytes = Infinity,
  limits?: ContainerLimits,
): Promise<Opened> {
  const replay = new Replay(parts, keepBytes)
  const head = await replay.head(4)
  const packing = packingOf(head)
  if (packing === 'zip' || packing === 'parquet') return openBytes(await replay.whole(), limits)
  return openPacked(head, () => replay.stream(), limits)
}

/** Reads synchronously into one buffer and lets timers and signals run between the parts. */
async function* partsOf(path: PathLike): AsyncGenerator<Uint8Array> {
  const file = openSync(path, 'r')
  try {
    const buffer = new Uint8Array(partBytes)
    for (;;) {
      const bytes = readSync(file, buffer, 0, partBytes, null)
      if (bytes === 0) return
      yield buffer.subarray(0, bytes)
      await setImmediate()
    }
  } finally {
    closeSync(file)
  }
}

/** Synchronous, because an asynchronous read of a small file takes several times as long. */
function firstPart(path: PathLike, bytes: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(bytes)
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, 0))
  } finally {
    closeSync(file)
  }
}

/**
 * Makes a one-time stream, such as a pipe, readable again. Keeps its bytes until more than `keepBytes` have arrived;
 * after that, a second reading fails.
 */
class Replay {
  readonly #parts: AsyncIterator<Uint8Array>
  readonly #keepBytes: number
  #kept: Uint8Array[] = []
  #bytes = 0
  #isRead = false

  constructor(parts: AsyncIterable<Uint8Array>, keepBytes: number) {
    this.#parts = parts[Symbol.asyncIterator]()
    this.#keepBytes = keepBytes
  }

  /** The first bytes of the stream, at most this many. */
  async head(bytes: number): Promise<Uint8Array> {
    while (this.#bytes < bytes && (await this.#next())) {
      // `#next` keeps the part.
    }
    return Buffer.concat(this.#kept).subarray(0, bytes)
  }

  /** All bytes, regardless of `keepBytes`. */
  async whole(): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const part of this.stream()) parts.push(part)
    return Buffer.concat(parts)
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    const isFirst = !this.#isRead
    this.#isRead = true
    const kept = this.#kept
    if (!isFirst && this.#bytes > this.#keepBytes) {
      throw new ContainerError('the stream cannot be read again: its beginning is no longer in memory')
    }
    try {
      // By index: more parts may arrive while a second reader reads the kept ones.
      for (let i = 0, end = kept.length; i < end; i++) yield kept[i] as Uint8Array
      if (!isFirst) return
      for (let part = await this.#next(); part; part = await this.#next()) yield part
    } finally {
      // Close the source if the first reader stops early.
      if (isFirst) await this.#parts.return?.()
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#parts.next()
    if (done) return undefined
    this.#bytes += value.length
    if (this.#bytes <= this.#keepBytes) this.#kept.push(value)
    else this.#kept = []
    return value
  }
}
