import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Decompress } from 'fzstd'
import { ZstdFrames } from './zstd-frames.js'

/** An archive that cannot be read, and why. */
export class ContainerError extends Error {
  override readonly name = 'ContainerError'
}

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

/** What gzip packed. */
export function gunzipped(packed: Parts): AsyncIterable<Uint8Array> {
  const counted = counting(packed)
  const gunzip = createGunzip()
  // The iteration below tells of errors; this makes those of the source come there too, and closes it.
  pipeline(Readable.from(counted.bytes), gunzip, () => {})
  return bounded(gunzip, counted.count, 'the gzip file')
}

/** What zstd packed, by a decoder of its own: Node has had one since 22.15 only. */
export function unzstded(packed: Parts, what = 'the zstd file'): AsyncIterable<Uint8Array> {
  const counted = counting(packed)
  return bounded(unzstd(counted.bytes, what), counted.count, what)
}

/** So few bytes unpack to 64 MB at most. */
const sliceBytes = 2048

async function* unzstd(packed: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array> {
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

/** Text packs to a tenth or less; what unpacks to this many times its size is made to fill a memory. */
const mostTimes = 200
const harmless = 1 << 28

/**
 * What comes out of an unpacker, with its errors said as one that names the archive.
 *
 * @throws {ContainerError} when it is damaged, or unpacks to far more than any text does
 */
export async function* bounded(
  unpacked: AsyncIterable<Uint8Array>,
  packedBytes: () => number,
  what: string,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const part of unpacked) {
      bytes += part.length
      if (bytes > harmless && bytes > packedBytes() * mostTimes) {
        throw new ContainerError(`${what} unpacks to more than ${mostTimes} times its size; it is no transcript`)
      }
      yield part
    }
  } catch (error) {
    if (error instanceof ContainerError) throw error
    throw new ContainerError(`${what} is damaged: ${(error as Error).message}`, { cause: error })
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
