import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Decompress } from 'fzstd'
import { Budget, ContainerError, type ContainerLimits } from './limits.js'
import { ZstdFrames } from './zstd-frames.js'

/** A part is valid until the next one is requested. */
type Parts = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

const marks: readonly ['zip' | 'gzip' | 'zstd', readonly number[]][] = [
  ['zip', [0x50, 0x4b, 3, 4]],
  ['zip', [0x50, 0x4b, 5, 6]],
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
]

/** The packing of a file, from its first four bytes. */
export const packingOf = (head: Uint8Array): 'zip' | 'gzip' | 'zstd' | undefined =>
  marks.find(([, mark]) => mark.every((byte, index) => head[index] === byte))?.[0]

/** Unpack a gzip or zstd file within limits. */
export function unpackFile(
  packing: 'gzip' | 'zstd',
  packed: Parts,
  limits?: ContainerLimits,
): AsyncIterable<Uint8Array> {
  let packedBytes = 0
  async function* counted() {
    for await (const part of packed) {
      packedBytes += part.length
      // The decoders keep their input, but the buffer of a part is reused.
      yield part.slice()
    }
  }
  const budget = new Budget(`the ${packing} file`, () => packedBytes, limits)
  return budgeted(packing === 'gzip' ? gunzip(counted()) : unzstd(counted()), budget, 'file')
}

export function gunzip(packed: AsyncIterable<Uint8Array>, what = 'the gzip file'): AsyncIterable<Uint8Array> {
  const unpacker = createGunzip()
  // The pipeline passes errors of the source to the unpacker, whose iteration below throws them.
  pipeline(Readable.from(packed), unpacker, () => {})
  return withContainerErrors(unpacker, what)
}

/** Uses fzstd because Node 20 has no zstd decoder. */
export function unzstd(packed: AsyncIterable<Uint8Array>, what = 'the zstd file'): AsyncIterable<Uint8Array> {
  return withContainerErrors(zstdParts(packed, what), what)
}

/** Bounds the memory of one step: 2 KB of zstd unpack to at most 64 MB. */
const sliceBytes = 2048

async function* zstdParts(packed: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  const frames = new ZstdFrames((window) => {
    if (window <= maxWindow) return
    throw new ContainerError(`${what} is packed with a window of ${window} bytes; unpack it first, as with "zstd -d"`)
  })
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

/** The window that every decoder must support. fzstd copies the window with each block, so larger ones are too slow. */
const maxWindow = 1 << 23

/** Convert the errors of an unpacker to a `ContainerError` that names the archive. */
export async function* withContainerErrors(
  unpacked: AsyncIterable<Uint8Array>,
  what: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* unpacked
  } catch (error) {
    if (error instanceof ContainerError) throw error
    throw new ContainerError(`${what} is damaged: ${(error as Error).message}`, { cause: error })
  }
}

/** Count the bytes against the budget as those of `key`, in addition to the bytes `before`. */
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
