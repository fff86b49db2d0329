import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Decompress } from 'fzstd'
import { Budget, ContainerError, type ContainerLimits } from './limits.js'
import { ZstdFrames } from './zstd-frames.js'

/** A part is good until the next is asked for. */
type Parts = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

const marks: readonly ['zip' | 'gzip' | 'zstd', readonly number[]][] = [
  ['zip', [0x50, 0x4b, 3, 4]],
  ['zip', [0x50, 0x4b, 5, 6]],
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
]

/** By what a file is packed, by its first four bytes. */
export const packingOf = (head: Uint8Array): 'zip' | 'gzip' | 'zstd' | undefined =>
  marks.find(([, mark]) => mark.every((byte, index) => head[index] === byte))?.[0]

/** Unpack a gzip file, within its own bounds. */
export function gunzipped(packed: Parts, limits?: ContainerLimits): AsyncIterable<Uint8Array> {
  const counted = counting(packed)
  return budgeted(gunzip(counted.bytes), new Budget('the gzip file', counted.count, limits), 'file')
}

/** Unpack a zstd file, within its own bounds. */
export function unzstded(packed: Parts, limits?: ContainerLimits): AsyncIterable<Uint8Array> {
  const counted = counting(packed)
  return budgeted(unzstd(counted.bytes), new Budget('the zstd file', counted.count, limits), 'file')
}

/** What gzip packed. */
export function gunzip(packed: AsyncIterable<Uint8Array>, what = 'the gzip file'): AsyncIterable<Uint8Array> {
  const unpacker = createGunzip()
  // The iteration below tells of errors; this makes those of the source come there too, and closes it.
  pipeline(Readable.from(packed), unpacker, () => {})
  return whole(unpacker, what)
}

/** What zstd packed, by a decoder of its own: Node has had one since 22.15 only. */
export function unzstd(packed: AsyncIterable<Uint8Array>, what = 'the zstd file'): AsyncIterable<Uint8Array> {
  return whole(zstdParts(packed, what), what)
}

/** So few bytes unpack to 64 MB at most. */
const sliceBytes = 2048

async function* zstdParts(packed: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  const frames = new ZstdFrames((window) => refuseLarge(window, what))
  const decoder = new Decompress((part) => ready.push(part))
  for await (const part of packed) {
    for (let at = 0; at < part.length; at += sliceBytes) {
      const slice = part.subarray(at, at + sliceBytes)
      frames.push(slice)
      decoder.push(slice)
      yield* ready
      ready = []
    }
  }
  decoder.push(new Uint8Array(0), true)
  yield* ready
}

/** What every decoder has to take. This one moves all of it with each block, so that more would take for ever. */
const largestWindow = 1 << 23

function refuseLarge(window: number, what: string): void {
  if (window > largestWindow) {
    throw new ContainerError(`${what} is packed with a window of ${window} bytes; unpack it first, as with "zstd -d"`)
  }
}

/**
 * What comes out of an unpacker, with its errors said as one that names the archive.
 *
 * @throws {ContainerError} when it is damaged
 */
export async function* whole(unpacked: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array> {
  try {
    yield* unpacked
  } catch (error) {
    if (error instanceof ContainerError) throw error
    throw new ContainerError(`${what} is damaged: ${(error as Error).message}`, { cause: error })
  }
}

/** The same bytes, which count as what `key` unpacks to, on top of how many it has unpacked to `before`. */
export async function* budgeted(
  unpacked: AsyncIterable<Uint8Array>,
  budget: Budget,
  key: unknown,
  before = 0,
): AsyncGenerator<Uint8Array> {
  let bytes = before
  for await (const part of unpacked) {
    bytes += part.length
    budget.unpacks(key, bytes)
    yield part
  }
}

function counting(packed: Parts) {
  let total = 0
  async function* bytes() {
    for await (const part of packed) {
      total += part.length
      // The decoders keep what they are given for a while.
      yield part.slice()
    }
  }
  return { bytes: bytes(), count: () => total }
}
