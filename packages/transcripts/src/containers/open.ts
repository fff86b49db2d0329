import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { ContainerLimits } from './limits.js'
import type { Opened } from './opened-file.js'
import { Replay } from './stream.js'
import { gunzipped, packingOf, unzstded } from './unpack.js'

/** Where packed bytes come from. */
interface Packed {
  head: Uint8Array
  stream(): AsyncIterable<Uint8Array> | Uint8Array[]
  zip(): Promise<Opened>
}

const partBytes = 1 << 18

/** Loaded where there is one. */
const archives = () => import('./zip.js')

/**
 * The files that may hold transcripts in a file: itself, what gzip or zstd packed, or what a zip archive holds. An
 * archive that is one export, such as a ChatGPT data export or an Inspect log, is one file with several members; one for each, where there are several in folders.
 *
 * @param limits bounds of an archive as a whole, see `ContainerLimits`
 * @throws {ContainerError} when it is an archive that cannot be read, holds nothing that may be a transcript, or is beyond
 *   its bounds; what is only known once it is unpacked is thrown while the file is read
 */
export async function openFile(path: string, limits?: ContainerLimits): Promise<Opened> {
  const stats = statSync(path)
  // A pipe can be read once only, and not from its beginning again.
  if (!stats.isFile()) return openBytes(await readFile(path), limits)
  const first = firstPart(path, Math.min(stats.size, partBytes))
  const isWhole = first.length === stats.size && stats.size < partBytes
  // Most files are small: what was read to see how they are packed is all there is, and need not be read again at once.
  let ready: Uint8Array | undefined = isWhole ? first : undefined
  const stream = () => {
    const parts = ready ? [ready] : partsOf(path)
    ready = undefined
    return parts
  }
  const zip = async () => (await archives()).openZipFile(path, limits)
  return unpack({ head: first.subarray(0, 4), stream, zip }, limits)
}

/**
 * `openFile` for bytes in memory, such as those of standard input.
 *
 * @throws {ContainerError} as `openFile` does
 */
export async function openBytes(bytes: Uint8Array, limits?: ContainerLimits): Promise<Opened> {
  async function* stream() {
    for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes)
  }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const zip = async () => (await archives()).openZipBytes(buffer, limits)
  return unpack({ head: bytes.subarray(0, 4), stream, zip }, limits)
}

function unpack({ head, stream, zip }: Packed, limits: ContainerLimits | undefined): Opened | Promise<Opened> {
  const packing = packingOf(head)
  if (packing === 'zip') return zip()
  if (packing === 'gzip') return { files: [{ chunks: () => gunzipped(stream(), limits) }], left: [] }
  if (packing === 'zstd') return { files: [{ chunks: () => unzstded(stream(), limits) }], left: [] }
  return { files: [{ chunks: stream }], left: [] }
}

/**
 * `openFile` for bytes that come as a stream, such as those of standard input. They are read as they come, but for a zip
 * archive, which is held whole. Read again, its `chunks` are those that have come until then; once more than `keepBytes`
 * have come (default: any number is kept), a second reading fails.
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
  if (packingOf(head) === 'zip') return openBytes(await replay.whole(), limits)
  const zip = () => Promise.reject(new Error('not a zip archive'))
  return unpack({ head, stream: () => replay.stream(), zip }, limits)
}

/**
 * One buffer for all parts, since the reader has done with one before it asks for the next. Each is read at once, as a
 * small file is; between two of them timers and signals have their turn.
 */
async function* partsOf(path: string): AsyncGenerator<Uint8Array> {
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

/** At once, because a small file is read in a fraction of the time that it takes to ask for it and be called back. */
function firstPart(path: string, bytes: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(bytes)
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, 0))
  } finally {
    closeSync(file)
  }
}
